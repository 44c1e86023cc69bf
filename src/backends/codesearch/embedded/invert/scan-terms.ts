import { termScan } from '../format/terms.ts';
import {
  add,
  block,
  branch,
  branchIf,
  byteAt,
  constant,
  differs,
  equals,
  get,
  isGreater,
  isLess,
  isZero,
  line,
  loop,
  multiply,
  or,
  set,
  shiftLeft,
  storeNumber,
  subtract,
  tee,
  type WasmFunction,
  xor,
} from '../wasm/assemble.ts';
import { addressOf } from './term-layout.ts';

const { lower: lowerClass, upper: upperClass } = termScan.letterKinds;
const letterS = 0x73;
/** Shift that turns 1 into the bit that converts an upper-case letter to lower case: 1 << 5. */
const caseShift = 5;

/** `scan` of `TermExports`: the loop of `scanTerms`, in about half the time. */
export function scanBody(): WasmFunction {
  return { name: 'scan', parameters: 4, locals: 5, body: body() };
}

const [at, end, next, stem] = [0, 1, 2, 3];
const [start, kind, hash, fold, letter] = [4, 5, 6, 7, 8];
const advance = line(get(at), constant(1), add, set(at));
/** Adds the byte on the stack to the hash. */
const hashed = line(get(hash), xor, constant(termScan.prime), multiply, set(hash));
const kindAt = (offset: number): number[] => line(get(at), byteAt(offset), byteAt(addressOf.kinds));

function body(): number[][] {
  const word = loop(
    line(get(at), get(end), isLess, isZero, branchIf(1)),
    block(
      line(get(at), tee(start), byteAt(), byteAt(addressOf.kinds), tee(kind), branchIf(0)),
      line(advance, branch(1)),
    ),
    line(get(kind), constant(upperClass), equals, constant(caseShift), shiftLeft, set(fold)),
    line(constant(termScan.seed), set(hash)),
    run(get(kind)),
    lowerAfterUpper(),
    line(get(at), get(start), subtract, tee(letter), constant(termScan.minLength), isLess, branchIf(0)),
    line(get(letter), get(kind), byteAt(addressOf.maxLengths), isGreater, branchIf(0)),
    line(get(next), get(hash), storeNumber(), noteStem(), get(next), constant(4), add, set(next), branch(0)),
  );
  return [block(word), line(get(stem), constant(0), storeNumber()), get(next)];
}

/** Hashes the following bytes of the same kind. */
function run(wanted: number[]): number[] {
  return block(
    loop(
      line(get(at), byteAt(), tee(letter), byteAt(addressOf.kinds), wanted, differs, branchIf(1)),
      line(get(letter), get(fold), or, hashed, advance, branch(0)),
    ),
  );
}

/**
 * Handles lower-case letters after upper-case ones: a capitalized word, `IDs`, which is one word, or `HTTPServer`,
 * where the last capital starts the next word.
 */
function lowerAfterUpper(): number[] {
  return block(
    line(get(kind), constant(upperClass), differs, branchIf(0)),
    line(kindAt(0), constant(lowerClass), differs, branchIf(0)),
    block(
      line(get(at), get(start), subtract, constant(1), differs, branchIf(0)),
      line(constant(0), set(fold), run(constant(lowerClass)), branch(1)),
    ),
    block(
      line(get(at), byteAt(), constant(letterS), differs, branchIf(0)),
      line(kindAt(1), constant(lowerClass), equals, branchIf(0)),
      line(constant(letterS), hashed, advance, branch(1)),
    ),
    line(get(at), constant(1), subtract, set(at)),
    line(get(hash), constant(termScan.primeInverse), multiply),
    line(get(at), byteAt(), get(fold), or, xor, set(hash)),
  );
}

/**
 * Writes a stem entry for every word, and keeps it only if the word may have a stem. This avoids an unpredictable
 * branch.
 */
function noteStem(): number[] {
  return line(
    line(get(stem), get(next), storeNumber(), get(stem), get(start), storeNumber(4)),
    line(get(stem), get(at), storeNumber(8), get(stem)),
    line(constant(12), get(at), constant(1), subtract, byteAt(), byteAt(addressOf.stemEndings), multiply),
    line(add, set(stem)),
  );
}

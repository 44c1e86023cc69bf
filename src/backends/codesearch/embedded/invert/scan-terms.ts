import { TERM_SCAN } from '../format/terms.ts';
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
import { AT } from './term-layout.ts';

const { lower: LOWER, upper: UPPER } = TERM_SCAN.kinds;
const S = 0x73;
/** Makes a small letter of a capital: 1 << 5. */
const CASE_SHIFT = 5;

/** `scan` of `TermExports`: the loop of `scanTerms`, in about half of its time. */
export function scanBody(): WasmFunction {
  return { name: 'scan', parameters: 4, locals: 5, body: body() };
}

const [at, end, next, stem] = [0, 1, 2, 3];
const [start, kind, hash, fold, letter] = [4, 5, 6, 7, 8];
const forth = line(get(at), constant(1), add, set(at));
/** Takes the byte on the stack into the hash. */
const hashed = line(get(hash), xor, constant(TERM_SCAN.prime), multiply, set(hash));
const kindAt = (offset: number): number[] => line(get(at), byteAt(offset), byteAt(AT.kinds));

function body(): number[][] {
  const word = loop(
    line(get(at), get(end), isLess, isZero, branchIf(1)),
    block(
      line(get(at), tee(start), byteAt(), byteAt(AT.kinds), tee(kind), branchIf(0)),
      line(forth, branch(1)),
    ),
    line(get(kind), constant(UPPER), equals, constant(CASE_SHIFT), shiftLeft, set(fold)),
    line(constant(TERM_SCAN.seed), set(hash)),
    run(get(kind)),
    smallBehindCapitals(),
    line(get(at), get(start), subtract, tee(letter), constant(TERM_SCAN.shortest), isLess, branchIf(0)),
    line(get(letter), get(kind), byteAt(AT.longest), isGreater, branchIf(0)),
    line(get(next), get(hash), storeNumber(), noteStem(), get(next), constant(4), add, set(next), branch(0)),
  );
  return [block(word), line(get(stem), constant(0), storeNumber()), get(next)];
}

/** Hashes what follows of one kind. */
function run(wanted: number[]): number[] {
  return block(
    loop(
      line(get(at), byteAt(), tee(letter), byteAt(AT.kinds), wanted, differs, branchIf(1)),
      line(get(letter), get(fold), or, hashed, forth, branch(0)),
    ),
  );
}

/** A word that begins with a capital; `IDs`, which is one word; or in `HTTPServer` the next one. */
function smallBehindCapitals(): number[] {
  return block(
    line(get(kind), constant(UPPER), differs, branchIf(0)),
    line(kindAt(0), constant(LOWER), differs, branchIf(0)),
    block(
      line(get(at), get(start), subtract, constant(1), differs, branchIf(0)),
      line(constant(0), set(fold), run(constant(LOWER)), branch(1)),
    ),
    block(
      line(get(at), byteAt(), constant(S), differs, branchIf(0)),
      line(kindAt(1), constant(LOWER), equals, branchIf(0)),
      line(constant(S), hashed, forth, branch(1)),
    ),
    line(get(at), constant(1), subtract, set(at)),
    line(get(hash), constant(TERM_SCAN.inverseOfPrime), multiply),
    line(get(at), byteAt(), get(fold), or, xor, set(hash)),
  );
}

/** Written always and kept where it is one, since nobody can foresee that. */
function noteStem(): number[] {
  return line(
    line(get(stem), get(next), storeNumber(), get(stem), get(start), storeNumber(4)),
    line(get(stem), get(at), storeNumber(8), get(stem)),
    line(constant(12), get(at), constant(1), subtract, byteAt(), byteAt(AT.mayEndIn), multiply),
    line(add, set(stem)),
  );
}

import { TERM_SCAN } from '../format/terms.ts';
import {
  add,
  assemble,
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
  xor,
} from '../wasm/assemble.ts';

/** The loop of `scanTerms`, which runs over every byte of every text, in about half of its time. */
export interface TermExports {
  readonly memory: WebAssembly.Memory;
  /**
   * Writes the hash of each word in `[at, end)` from `next` on, and gives where they end. The byte behind the text must
   * be no letter or digit. A word that a stem may be shorter than stands from `stem` on, too: where its hash is, where it
   * starts and where it ends. A 0 follows the last.
   */
  scan(at: number, end: number, next: number, stem: number): number;
}

/** Addresses of tables: the kind of each byte, whether a word that ends in it may have a stem, the longest of a kind. */
export const TERM = { kinds: 0, mayEndIn: 256, longest: 512, free: 1 << 16 } as const;

const { lower: LOWER, upper: UPPER } = TERM_SCAN.kinds;
const S = 0x73;
/** Makes a small letter of a capital: 1 << 5. */
const CASE_SHIFT = 5;

/** `pages` are of 64 KB. */
export function termModule(pages: number): WebAssembly.Module {
  return assemble(pages, [{ name: 'scan', parameters: 4, locals: 5, body: scanBody() }]);
}

const [at, end, next, stem] = [0, 1, 2, 3];
const [start, kind, hash, fold, letter] = [4, 5, 6, 7, 8];
const forth = line(get(at), constant(1), add, set(at));
/** Takes the byte on the stack into the hash. */
const hashed = line(get(hash), xor, constant(TERM_SCAN.prime), multiply, set(hash));
const kindAt = (offset: number): number[] => line(get(at), byteAt(offset), byteAt(TERM.kinds));

function scanBody(): number[][] {
  const word = loop(
    line(get(at), get(end), isLess, isZero, branchIf(1)),
    block(
      line(get(at), tee(start), byteAt(), byteAt(TERM.kinds), tee(kind), branchIf(0)),
      line(forth, branch(1)),
    ),
    line(get(kind), constant(UPPER), equals, constant(CASE_SHIFT), shiftLeft, set(fold)),
    line(constant(TERM_SCAN.seed), set(hash)),
    run(get(kind)),
    smallBehindCapitals(),
    line(get(at), get(start), subtract, tee(letter), constant(TERM_SCAN.shortest), isLess, branchIf(0)),
    line(get(letter), get(kind), byteAt(TERM.longest), isGreater, branchIf(0)),
    line(get(next), get(hash), storeNumber(), noteStem(), get(next), constant(4), add, set(next), branch(0)),
  );
  return [block(word), line(get(stem), constant(0), storeNumber()), get(next)];
}

/** Hashes what follows of one kind. */
function run(wanted: number[]): number[] {
  return block(
    loop(
      line(get(at), byteAt(), tee(letter), byteAt(TERM.kinds), wanted, differs, branchIf(1)),
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
    line(constant(12), get(at), constant(1), subtract, byteAt(), byteAt(TERM.mayEndIn), multiply),
    line(add, set(stem)),
  );
}

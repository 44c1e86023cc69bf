/**
 * Terms of text: words, split where code splits them (camelCase, snake_case, letters from digits), folded, lightly
 * stemmed and known by a 32-bit hash alone. Two terms of one hash are one term; that can only blur a ranking.
 * Indexing and asking run the same code over the same bytes.
 */
const LONGEST_TERM = 40;
const SHORTEST_TERM = 2;
const LONGEST_NUMBER = 6;
const SEED = 0x811c9dc5;
const PRIME = 0x01000193;

const OTHER = 0;
const LOWER = 1;
const UPPER = 2;
const DIGIT = 3;
const CLASS = Uint8Array.from({ length: 256 }, (_, byte) => {
  if ((byte >= 0x61 && byte <= 0x7a) || byte >= 0x80) return LOWER;
  if (byte >= 0x41 && byte <= 0x5a) return UPPER;
  return byte >= 0x30 && byte <= 0x39 ? DIGIT : OTHER;
});

/** Calls `visit` with the hash of every term in `bytes[from, to)`, where it starts and where it ends. */
export function eachTerm(
  bytes: Uint8Array,
  from: number,
  to: number,
  visit: (term: number, start: number, end: number) => void,
): void {
  let at = from;
  while (at < to) {
    const first = CLASS[bytes[at]!]!;
    if (first === OTHER) {
      at++;
      continue;
    }
    const start = at++;
    at = first === DIGIT ? runOf(bytes, at, to, DIGIT) : endOfWord(bytes, start, at, to, first);
    const length = at - start;
    const longest = first === DIGIT ? LONGEST_NUMBER : LONGEST_TERM;
    if (length >= SHORTEST_TERM && length <= longest) visit(stemmedHash(bytes, start, at), start, at);
  }
}

/** `Word` and `word` end with the lower-case run; `HTTPServer` ends before `Server`. */
function endOfWord(bytes: Uint8Array, start: number, next: number, to: number, first: number): number {
  if (first === LOWER) return runOf(bytes, next, to, LOWER);
  const upperEnd = runOf(bytes, next, to, UPPER);
  if (upperEnd < to && CLASS[bytes[upperEnd]!] === LOWER) {
    return upperEnd - start === 1 ? runOf(bytes, upperEnd, to, LOWER) : pluralOr(bytes, upperEnd, to);
  }
  return upperEnd;
}

/** `IDs` is one word; in `HTTPServer` the last capital begins the next. */
function pluralOr(bytes: Uint8Array, upperEnd: number, to: number): number {
  const lowerEnd = runOf(bytes, upperEnd, to, LOWER);
  return lowerEnd - upperEnd === 1 && bytes[upperEnd] === 0x73 ? lowerEnd : upperEnd - 1;
}

function runOf(bytes: Uint8Array, from: number, to: number, kind: number): number {
  let at = from;
  while (at < to && CLASS[bytes[at]!] === kind) at++;
  return at;
}

/** FNV-1a over the folded bytes of the stem. */
function stemmedHash(bytes: Uint8Array, start: number, end: number): number {
  const stemEnd = endOfStem(bytes, start, end);
  let hash = SEED;
  for (let at = start; at < stemEnd; at++) hash = Math.imul(hash ^ fold(bytes[at]!), PRIME);
  return hash >>> 0;
}

function fold(byte: number): number {
  return byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte;
}

/** Strips plural and verb endings, then a silent e, so that cache, caches, cached and caching meet. */
function endOfStem(bytes: Uint8Array, start: number, end: number): number {
  const verb = endOfVerb(bytes, start, endOfSingular(bytes, start, end));
  // query and queries, retry and retried: what is left ends with y or i.
  const last = fold(bytes[verb - 1]!);
  return verb - start >= 3 && (last === I || last === Y) ? verb - 1 : verb;
}

function endOfSingular(bytes: Uint8Array, start: number, end: number): number {
  if (end - start < 4 || fold(bytes[end - 1]!) !== S) return end;
  return KEEPS_S.has(fold(bytes[end - 2]!)) ? end : end - 1;
}

function endOfVerb(bytes: Uint8Array, start: number, end: number): number {
  const length = end - start;
  const last = fold(bytes[end - 1]!);
  if (length < 4) return end;
  if (last === E) return end - 1;
  const second = fold(bytes[end - 2]!);
  if (last === D && second === E && length >= 5) return undouble(bytes, start, end - 2);
  const isGerund = last === G && second === N && fold(bytes[end - 3]!) === I && length >= 6;
  return isGerund ? undouble(bytes, start, end - 3) : end;
}

const D = 0x64;
const E = 0x65;
const G = 0x67;
const I = 0x69;
const N = 0x6e;
const S = 0x73;
const Y = 0x79;
/** class, status, this. */
const KEEPS_S = new Set(Buffer.from('sui'));
/** call, pass, fizz keep both. */
const KEEPS_DOUBLE = new Set(Buffer.from('lsz'));

/** stopped, running: stop, run. */
function undouble(bytes: Uint8Array, start: number, end: number): number {
  const last = fold(bytes[end - 1]!);
  const doubled = end - start >= 3 && last === fold(bytes[end - 2]!) && !KEEPS_DOUBLE.has(last);
  return doubled ? end - 1 : end;
}

/** The distinct terms of a text, each with the part of it that it stands for (`needle` of `needle1`). */
export function wordsOf(text: string): ReadonlyMap<number, string> {
  const bytes = Buffer.from(text);
  const found = new Map<number, string>();
  eachTerm(bytes, 0, bytes.length, (term, start, end) => {
    if (!found.has(term)) found.set(term, bytes.toString('utf8', start, end));
  });
  return found;
}

/** Terms of the path field live in the same dictionary, apart from those of the content. */
export function asPathTerm(term: number): number {
  return Math.imul(term ^ 0x5bd1e995, PRIME) >>> 0;
}

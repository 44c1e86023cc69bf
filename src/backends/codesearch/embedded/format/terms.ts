/**
 * Terms of text: words, split where code splits them (camelCase, snake_case, letters from digits), folded, lightly
 * stemmed and known by a 32-bit hash alone. Two terms of one hash are one term; that can only blur a ranking.
 * Indexing and asking run the same code over the same bytes.
 */
const SHORTEST_TERM = 2;
const SEED = 0x811c9dc5 | 0;
const PRIME = 0x01000193;
/** PRIME * INVERSE_OF_PRIME is 1 modulo 2^32, so that a byte can be taken out of a hash. */
const INVERSE_OF_PRIME = 0x359c449b;

const OTHER = 0;
const LOWER = 1;
const UPPER = 2;
const DIGIT = 3;
/** By class: words are longer than numbers that somebody asks for. */
const LONGEST = Uint8Array.of(0, 40, 40, 6);
const CLASS = Uint8Array.from({ length: 256 }, (_, byte) => {
  if ((byte >= 0x61 && byte <= 0x7a) || byte >= 0x80) return LOWER;
  if (byte >= 0x41 && byte <= 0x5a) return UPPER;
  return byte >= 0x30 && byte <= 0x39 ? DIGIT : OTHER;
});
const FOLDED = Uint8Array.from({ length: 256 }, (_, byte) => (CLASS[byte] === UPPER ? byte + 0x20 : byte));
/** Last letters of what `endOfStem` may shorten; looked up first, since most words end in none of them. */
const MAY_END_IN = Uint8Array.from({ length: 256 }, (_, byte) =>
  'sedgiySEDGIY'.includes(String.fromCharCode(byte)) ? 1 : 0,
);

/** What the same scan needs where it is written in other instructions. */
export const TERM_SCAN = {
  seed: SEED,
  prime: PRIME,
  inverseOfPrime: INVERSE_OF_PRIME,
  shortest: SHORTEST_TERM,
  kinds: { lower: LOWER, upper: UPPER },
  kindOf: CLASS,
  longest: LONGEST,
  mayEndIn: MAY_END_IN,
} as const;

/** What `scanTerms` found: each term's hash, where it starts and where it ends. */
export interface FoundTerms {
  /** There is room for the terms of so many. */
  readonly bytes: number;
  readonly hashes: Int32Array;
  readonly starts: Int32Array;
  readonly ends: Int32Array;
}

/** Room for the terms of so many bytes. */
export function roomForTerms(bytes: number): FoundTerms {
  const most = Math.ceil(bytes / SHORTEST_TERM);
  return { bytes, hashes: new Int32Array(most), starts: new Int32Array(most), ends: new Int32Array(most) };
}

/** Calls `visit` with the hash of every term in `bytes[from, to)`, where it starts and where it ends. */
export function eachTerm(
  bytes: Uint8Array,
  from: number,
  to: number,
  visit: (term: number, start: number, end: number) => void,
): void {
  const found = roomForTerms(to - from);
  const count = scanTerms(bytes, from, to, found);
  for (let index = 0; index < count; index++) {
    visit(found.hashes[index]! >>> 0, found.starts[index]!, found.ends[index]!);
  }
}

/**
 * Writes the terms of `bytes[from, to)` into `found` and gives their number. One loop that hashes (FNV-1a over the
 * folded bytes) while it looks for the end of the word, since it runs over every byte of every repository; what turns
 * out not to belong to the stem is taken out of the hash again.
 */
export function scanTerms(bytes: Uint8Array, from: number, to: number, found: FoundTerms): number {
  const { hashes, starts, ends } = found;
  let count = 0;
  let at = from;
  while (at < to) {
    const start = at;
    const kind = CLASS[bytes[at]!]!;
    if (kind === OTHER) {
      at++;
      continue;
    }
    let hash = SEED;
    while (at < to && CLASS[bytes[at]!] === kind) hash = Math.imul(hash ^ FOLDED[bytes[at++]!]!, PRIME);
    if (kind === UPPER && at < to && CLASS[bytes[at]!] === LOWER) {
      if (at - start === 1) {
        while (at < to && CLASS[bytes[at]!] === LOWER) hash = Math.imul(hash ^ bytes[at++]!, PRIME);
      } else if (isPlural(bytes, at, to)) hash = Math.imul(hash ^ bytes[at++]!, PRIME);
      else hash = without(hash, bytes[--at]!);
    }
    const length = at - start;
    if (length < SHORTEST_TERM || length > LONGEST[kind]!) continue;
    hashes[count] = MAY_END_IN[bytes[at - 1]!] === 0 ? hash : stemmed(hash, bytes, start, at);
    starts[count] = start;
    ends[count++] = at;
  }
  return count;
}

/** `IDs` is one word; in `HTTPServer` the last capital begins the next. */
function isPlural(bytes: Uint8Array, at: number, to: number): boolean {
  return bytes[at] === S && (at + 1 === to || CLASS[bytes[at + 1]!] !== LOWER);
}

/** The hash before its last byte. */
function without(hash: number, last: number): number {
  return Math.imul(hash, INVERSE_OF_PRIME) ^ FOLDED[last]!;
}

/** The hash of the stem of the word `bytes[start, end)`, from that of the word. */
export function stemmed(hash: number, bytes: Uint8Array, start: number, end: number): number {
  const stemEnd = endOfStem(bytes, start, end);
  let stem = hash;
  for (let at = end; at > stemEnd; at--) stem = without(stem, bytes[at - 1]!);
  return stem;
}

function fold(byte: number): number {
  return FOLDED[byte]!;
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

/** How often a word of a file's name counts: it says more than one of a folder. */
export const NAME_WEIGHT = 2;

/** Terms of the path field live in the same dictionary, apart from those of the content. */
export function asPathTerm(term: number): number {
  return Math.imul(term ^ 0x5bd1e995, PRIME) >>> 0;
}

/**
 * Terms of text: words, split at the boundaries that code uses (camelCase, snake_case, letters from digits), folded
 * to lower case, lightly stemmed, and stored only as a 32-bit hash. Two terms with the same hash are treated as one,
 * which only makes a ranking less precise. Indexing and querying run the same code over the same bytes.
 */
const minTerm = 2;
const hashSeed = 0x811c9dc5 | 0;
const hashPrime = 0x01000193;
/** `hashPrime * hashPrimeInverse` is 1 modulo 2^32, so that a byte can be removed from a hash. */
const hashPrimeInverse = 0x359c449b;

const other = 0;
const lowerClass = 1;
const upperClass = 2;
const digit = 3;
/** Maximum length of a term by class of its bytes: longer words are searched for, but not longer numbers. */
const maxTermLength = Uint8Array.of(0, 40, 40, 6);
const classPattern = Uint8Array.from({ length: 256 }, (_, byte) => {
  if ((byte >= 0x61 && byte <= 0x7a) || byte >= 0x80) return lowerClass;
  if (byte >= 0x41 && byte <= 0x5a) return upperClass;
  return byte >= 0x30 && byte <= 0x39 ? digit : other;
});
const folded = Uint8Array.from({ length: 256 }, (_, byte) =>
  classPattern[byte] === upperClass ? byte + 0x20 : byte,
);
/**
 * Last letters of the words that `endOfStem` may shorten. Checked first, because most words end with another letter.
 */
const stemEndings = Uint8Array.from({ length: 256 }, (_, byte) =>
  'sedgiySEDGIY'.includes(String.fromCharCode(byte)) ? 1 : 0,
);

/** Constants of the scan, shared with its WebAssembly implementation. */
export const termScan = {
  seed: hashSeed,
  prime: hashPrime,
  primeInverse: hashPrimeInverse,
  minLength: minTerm,
  letterKinds: { lower: lowerClass, upper: upperClass },
  kinds: classPattern,
  maxLengths: maxTermLength,
  stemEndings,
} as const;

/** The result of `scanTerms`: the hash, start and end of each term. */
export interface FoundTerms {
  /** Size of the text whose terms fit, in bytes. */
  readonly bytes: number;
  readonly hashes: Int32Array;
  readonly starts: Int32Array;
  readonly ends: Int32Array;
}

/** Allocates space for the terms of a text of this size. */
export function roomForTerms(bytes: number): FoundTerms {
  const max = Math.ceil(bytes / minTerm);
  return { bytes, hashes: new Int32Array(max), starts: new Int32Array(max), ends: new Int32Array(max) };
}

/**
 * The space of the last call of `eachTerm`, for the next one. Without it, a question that reads 150 files allocates six
 * times their size, outside of the heap. A space for a text of more than 1 MB is not kept. It is the state of a module,
 * against the rule, because it passes nothing from one call to another: each call overwrites what it reads, and each
 * thread has its own. As an argument it would have to go through every function that reads terms.
 */
let spareRoom: FoundTerms | undefined;
const maxSpareBytes = 1 << 20;
const minRoomBytes = 4096;

/** Calls `visit` with the hash, start and end of every term in `bytes[from, to)`. */
export function eachTerm(
  bytes: Uint8Array,
  from: number,
  to: number,
  visit: (term: number, start: number, end: number) => void,
): void {
  const length = Math.max(to - from, minRoomBytes);
  const found = spareRoom !== undefined && spareRoom.bytes >= length ? spareRoom : roomForTerms(length);
  // A visitor may call this function, too.
  spareRoom = undefined;
  const count = scanTerms(bytes, from, to, found);
  for (let index = 0; index < count; index++) {
    visit(found.hashes[index]! >>> 0, found.starts[index]!, found.ends[index]!);
  }
  if (found.bytes <= maxSpareBytes) spareRoom = found;
}

/**
 * Writes the terms of `bytes[from, to)` to `found` and returns their number. A single loop hashes (FNV-1a over the
 * folded bytes) while it searches the end of the word, because it runs over every byte of every repository. Bytes
 * that turn out not to belong to the stem are removed from the hash again.
 */
export function scanTerms(bytes: Uint8Array, from: number, to: number, found: FoundTerms): number {
  const { hashes, starts, ends } = found;
  let count = 0;
  let at = from;
  while (at < to) {
    const start = at;
    const kind = classPattern[bytes[at]!]!;
    if (kind === other) {
      at++;
      continue;
    }
    let hash = hashSeed;
    while (at < to && classPattern[bytes[at]!] === kind)
      hash = Math.imul(hash ^ folded[bytes[at++]!]!, hashPrime);
    if (kind === upperClass && at < to && classPattern[bytes[at]!] === lowerClass) {
      if (at - start === 1) {
        while (at < to && classPattern[bytes[at]!] === lowerClass)
          hash = Math.imul(hash ^ bytes[at++]!, hashPrime);
      } else if (isPlural(bytes, at, to)) hash = Math.imul(hash ^ bytes[at++]!, hashPrime);
      else hash = without(hash, bytes[--at]!);
    }
    const length = at - start;
    if (length < minTerm || length > maxTermLength[kind]!) continue;
    hashes[count] = stemEndings[bytes[at - 1]!] === 0 ? hash : stemmed(hash, bytes, start, at);
    starts[count] = start;
    ends[count++] = at;
  }
  return count;
}

/**
 * Returns whether a lower-case s ends a plural: `IDs` is one word, but in `HTTPServer` the last capital starts the
 * next word.
 */
function isPlural(bytes: Uint8Array, at: number, to: number): boolean {
  return bytes[at] === letterS && (at + 1 === to || classPattern[bytes[at + 1]!] !== lowerClass);
}

/** Returns the hash without its last byte. */
function without(hash: number, last: number): number {
  return Math.imul(hash, hashPrimeInverse) ^ folded[last]!;
}

/** Returns the hash of the stem of the word `bytes[start, end)`, given the hash of the word. */
export function stemmed(hash: number, bytes: Uint8Array, start: number, end: number): number {
  const stemEnd = endOfStem(bytes, start, end);
  let stem = hash;
  for (let at = end; at > stemEnd; at--) stem = without(stem, bytes[at - 1]!);
  return stem;
}

function fold(byte: number): number {
  return folded[byte]!;
}

/**
 * Returns the end of the stem. Strips plural and verb endings, then a silent e, so that cache, caches, cached and
 * caching have the same stem.
 */
function endOfStem(bytes: Uint8Array, start: number, end: number): number {
  const verb = endOfVerb(bytes, start, endOfSingular(bytes, start, end));
  // The stems of query and queries, or of retry and retried, differ only in a final y or i.
  const last = fold(bytes[verb - 1]!);
  return verb - start >= 3 && (last === letterI || last === letterY) ? verb - 1 : verb;
}

function endOfSingular(bytes: Uint8Array, start: number, end: number): number {
  if (end - start < 4 || fold(bytes[end - 1]!) !== letterS) return end;
  return keepsS.has(fold(bytes[end - 2]!)) ? end : end - 1;
}

function endOfVerb(bytes: Uint8Array, start: number, end: number): number {
  const length = end - start;
  const last = fold(bytes[end - 1]!);
  if (length < 4) return end;
  if (last === letterE) return end - 1;
  const second = fold(bytes[end - 2]!);
  if (last === letterD && second === letterE && length >= 5) return undouble(bytes, start, end - 2);
  const isGerund = last === letterG && second === letterN && fold(bytes[end - 3]!) === letterI && length >= 6;
  return isGerund ? undouble(bytes, start, end - 3) : end;
}

const letterD = 0x64;
const letterE = 0x65;
const letterG = 0x67;
const letterI = 0x69;
const letterN = 0x6e;
const letterS = 0x73;
const letterY = 0x79;
/** Letters before a final s that is no plural: class, status, this. */
const keepsS = new Set(Buffer.from('sui'));
/** Double letters that a stem keeps: call, pass, fizz. */
const keepsDouble = new Set(Buffer.from('lsz'));

/** Removes a doubled letter: stopped and running become stop and run. */
function undouble(bytes: Uint8Array, start: number, end: number): number {
  const last = fold(bytes[end - 1]!);
  const doubled = end - start >= 3 && last === fold(bytes[end - 2]!) && !keepsDouble.has(last);
  return doubled ? end - 1 : end;
}

/** Returns the distinct terms of a text, each with the part of the text that it stands for (`needle` of `needle1`). */
export function wordsOf(text: string): ReadonlyMap<number, string> {
  const bytes = Buffer.from(text);
  const found = new Map<number, string>();
  eachTerm(bytes, 0, bytes.length, (term, start, end) => {
    if (!found.has(term)) found.set(term, bytes.toString('utf8', start, end));
  });
  return found;
}

/** Weight of a word in a file name, which is more relevant than a word in a folder name. */
export const nameWeight = 2;

/** Maps a term to the path field, which shares the dictionary with the content. */
export function asPathTerm(term: number): number {
  return Math.imul(term ^ 0x5bd1e995, hashPrime) >>> 0;
}

import { closeSync, fstatSync, readSync, renameSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { errorCode } from '../../../../foundation/kernel/error-code.ts';
import { openIfPresent } from '../format/durable-files.ts';
import { readVarint } from '../format/varint.ts';

/**
 * The lines of frequent and of short words of a segment, in a file next to it, so that a search for a whole word reads
 * no text. It is a hint: no manifest names it, `CodeIndex.compact` writes it after the generation that serves results,
 * and without it text is searched. A file that cannot be read gets another name, so that the next compaction writes it
 * anew.
 *
 * Layout, all numbers u32: magic number, checksum of the numbers up to `first`, number of documents, number of buckets;
 * `first`: the number of the first line of each document, counted from 0 over all documents of the segment; the place
 * of each bucket, and the end; buckets; postings. A bucket has the words of one hash, each as its length (u8), its
 * bytes, and the checksum, place and size of its postings; the checksum of the bucket follows. Postings are varints:
 * the differences between the numbers of the lines that have the word, less 1.
 */
export interface WordTable {
  /** The number of the first line of each document. */
  readonly firstLines: Uint32Array;
  /** Number of words. */
  readonly count: number;
  wordAt(index: number): Uint8Array;
  /** Returns the place after the postings of a word, which follow those of the word before. */
  endAt(index: number): number;
  readonly postings: Buffer;
}

/** Maximum length of a word of the table, in bytes. */
export const maxWordBytes = 64;
/** Words up to this length, in bytes, are all in the table. Of longer ones only those that are in many lines. */
export const shortWordBytes = 3;

const magic = 0x3164776f;
const numberBytes = 4;
const headNumbers = 4;
/** Average number of words of a bucket. */
const wordsPerBucket = 4;
/** Number of words between two pauses. */
const wordsPerPause = 1_000;

export function wordsFile(segmentFile: string): string {
  return `${segmentFile}.words`;
}

/** Returns the name that a words file gets when it cannot be read, until it is written anew. */
export function unreadableWordsFile(segmentFile: string): string {
  return `${wordsFile(segmentFile)}.unreadable`;
}

/** Returns the parts of the file. Awaits `pause` between some words. */
export async function encodeWords(
  { firstLines, count, wordAt, endAt, postings }: WordTable,
  pause: () => Promise<void> | undefined,
): Promise<readonly Buffer[]> {
  const buckets = Math.ceil(count / wordsPerBucket) + 1;
  const numbers = new Uint32Array(headNumbers + firstLines.length + buckets + 1);
  const places = numbers.subarray(headNumbers + firstLines.length);
  for (let index = 0; index < count; index++) {
    if (index % wordsPerPause === 0) await pause();
    const word = wordAt(index);
    places[bucketOf(word, buckets) + 1]! += rowBytes(word);
  }
  places[0] = numbers.byteLength;
  for (let bucket = 0; bucket < buckets; bucket++) places[bucket + 1]! += places[bucket]! + numberBytes;
  const rows = Buffer.alloc(places[buckets]! - numbers.byteLength);
  /** The places in `rows` after the words of each bucket that were written. */
  const ends = places.map((place) => place - numbers.byteLength);
  let from = 0;
  for (let index = 0; index < count; index++) {
    if (index % wordsPerPause === 0) await pause();
    const word = wordAt(index);
    const bucket = bucketOf(word, buckets);
    const to = endAt(index);
    let at = ends[bucket]!;
    rows[at] = word.length;
    rows.set(word, at + 1);
    at = rows.writeUInt32LE(crc32(postings.subarray(from, to)), at + 1 + word.length);
    at = rows.writeUInt32LE(places[buckets]! + from, at);
    ends[bucket] = rows.writeUInt32LE(to - from, at);
    from = to;
  }
  for (let bucket = 0; bucket < buckets; bucket++) {
    if (bucket % wordsPerPause === 0) await pause();
    const start = places[bucket]! - numbers.byteLength;
    rows.writeUInt32LE(crc32(rows.subarray(start, ends[bucket])), ends[bucket]);
  }
  numbers.set([magic, 0, firstLines.length, buckets]);
  numbers.set(firstLines, headNumbers);
  numbers[1] = checksumOf(numbers.subarray(0, headNumbers + firstLines.length));
  return [Buffer.from(numbers.buffer), rows, postings];
}

/**
 * Calls `visit` with each document that has a word and the numbers of its lines, 1-based and in ascending order.
 * Returns false, without a call, if the file does not tell them.
 */
export function eachLineOfWord(
  segmentFile: string,
  word: string,
  visit: (document: number, lines: Uint32Array) => void,
): boolean {
  if (!/^\w+$/.test(word) || word.length > maxWordBytes) return false;
  const found = readWord(segmentFile, Buffer.from(word, 'latin1'));
  if (found === undefined) return false;
  const { firstLines, postings } = found;
  const cursor = { bytes: postings, at: 0 };
  // One array for all lines: a list for each document is most of the garbage of a frequent word.
  const lines = new Uint32Array(postings.length);
  let [document, from, to] = [0, 0, 0];
  const endOf = (at: number): number => firstLines[at + 1] ?? Number.POSITIVE_INFINITY;
  for (let line = -1; cursor.at < postings.length; ) {
    line += readVarint(cursor) + 1;
    if (line >= endOf(document)) {
      if (to > from) visit(document, lines.subarray(from, to));
      from = to;
      while (line >= endOf(document)) document++;
    }
    lines[to++] = line - firstLines[document]! + 1;
  }
  if (to > from) visit(document, lines.subarray(from, to));
  return true;
}

interface FoundWord {
  readonly firstLines: Uint32Array;
  /** Empty for a word that no line has. */
  readonly postings: Buffer;
}

/** Codes of errors of a process that lacks open files or memory, which say nothing of the file. */
const lacks: ReadonlySet<string> = new Set(['EMFILE', 'ENFILE', 'ENOMEM']);

/** Reads the postings of a word; `undefined` if the file has none for it and the word may be in some lines. */
function readWord(segmentFile: string, word: Buffer): FoundWord | undefined {
  let fd: number | undefined;
  try {
    fd = openIfPresent(wordsFile(segmentFile));
    return fd === undefined ? undefined : findWord(fd, word);
  } catch (error) {
    if (!lacks.has(errorCode(error) ?? '')) setAside(segmentFile);
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

/** Renames an unreadable file. Does nothing if that fails: the next search tries again. */
function setAside(segmentFile: string): void {
  try {
    renameSync(wordsFile(segmentFile), unreadableWordsFile(segmentFile));
  } catch {
    // Another thread was first, or the folder cannot be written.
  }
}

function findWord(fd: number, word: Buffer): FoundWord | undefined {
  const { firstLines, buckets } = readHead(fd);
  const place = headNumbers + firstLines.length + bucketOf(word, buckets);
  const bucket = readBucket(fd, place * numberBytes);
  for (let at = 0; at < bucket.length; at += rowBytes({ length: bucket[at]! })) {
    const after = at + 1 + bucket[at]!;
    if (!bucket.subarray(at + 1, after).equals(word)) continue;
    const postings = readAt(fd, bucket.readUInt32LE(after + 4), bucket.readUInt32LE(after + 8));
    check(crc32(postings) === bucket.readUInt32LE(after));
    return { firstLines, postings };
  }
  return word.length <= shortWordBytes ? { firstLines, postings: Buffer.alloc(0) } : undefined;
}

function readHead(fd: number): { readonly firstLines: Uint32Array; readonly buckets: number } {
  const [begin = 0, checksum = 0, documents = 0, buckets = 0] = readNumbers(fd, 0, headNumbers);
  check(begin === magic);
  const numbers = readNumbers(fd, 0, headNumbers + documents);
  check(checksumOf(numbers) === checksum);
  return { firstLines: numbers.subarray(headNumbers), buckets };
}

/** Reads the bucket whose place is at an offset, without its checksum. */
function readBucket(fd: number, at: number): Buffer {
  const [from = 0, to = 0] = readNumbers(fd, at, 2);
  const bytes = readAt(fd, from, to - from);
  const end = bytes.length - numberBytes;
  check(end >= 0 && crc32(bytes.subarray(0, end)) === bytes.readUInt32LE(end));
  return bytes.subarray(0, end);
}

/** @throws RangeError for a damaged file */
function check(isSound: boolean): void {
  if (!isSound) throw new RangeError('the table of words is damaged');
}

function rowBytes({ length }: { readonly length: number }): number {
  return 1 + length + 3 * numberBytes;
}

/** Returns the checksum of the head and the first lines, without the place of the checksum itself. */
function checksumOf(numbers: Uint32Array): number {
  const others = Uint32Array.from(numbers);
  others[1] = 0;
  return crc32(new Uint8Array(others.buffer));
}

function bucketOf(word: Uint8Array, buckets: number): number {
  return crc32(word) % buckets;
}

function readNumbers(fd: number, at: number, count: number): Uint32Array {
  const { buffer, byteOffset } = readAt(fd, at, count * numberBytes);
  return new Uint32Array(buffer, byteOffset, count);
}

/** @throws RangeError if the file is shorter */
function readAt(fd: number, at: number, length: number): Buffer {
  check(length >= 0 && at + length <= fstatSync(fd).size);
  const bytes = Buffer.allocUnsafeSlow(length);
  for (let done = 0; done < length; ) {
    const count = readSync(fd, bytes, done, length - done, at + done);
    check(count > 0);
    done += count;
  }
  return bytes;
}

import { closeSync, fstatSync, readSync, renameSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { errorCode } from '../../../../foundation/kernel/error-code.ts';
import type { Pause } from '../../../../foundation/kernel/limits/pauses.ts';
import { openIfPresent } from '../format/durable-files.ts';
import { readVarint, varintBytes, writeVarint } from '../format/varint.ts';

/**
 * The lines of frequent and of short words of a segment, and the documents of all others, in a file next to it, so that
 * a search for a whole word reads the text of few documents or of none. It is a hint: no manifest names it,
 * `CodeIndex.compact` writes it after the generation that serves results, and without it text is searched. A file that
 * cannot be read gets another name, so that the next compaction writes it anew.
 *
 * Layout, all numbers u32 where nothing else is said: the head (`Head`); `firstLines`: the number of the first line of
 * each document, counted from 0 over all documents of the segment; the place of each bucket, and the end of the last
 * one; postings; buckets. A bucket has the words of one hash, each as its length (u8), its bytes, and the checksum,
 * place and size of its postings. Postings are varints: the differences between the numbers of the lines that have the
 * word, less 1. The buckets of rare words follow: a fingerprint (u16) and a document (varint) for each document of each
 * word. Other words may have the same fingerprint, so that their text decides. Each bucket ends with its checksum,
 * computed from the number of the bucket on, so that another bucket is not taken for it.
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
  /** All documents of all other words; `undefined` if some are not known. */
  readonly rare: RareWords | undefined;
}

/** Pairs of a word and a document that has it. */
export interface RareWords {
  readonly count: number;
  wordAt(index: number): Uint8Array;
  documentAt(index: number): number;
}

/** Maximum length of a word of the table, in bytes. */
export const maxWordBytes = 64;
/** Words up to this length, in bytes, are all in the table. Of longer ones only those that are in many lines. */
export const shortWordBytes = 3;

const magic = 0x3264776f;
const numberBytes = 4;
const fingerprintBytes = 2;
/** The numbers of the head, in their order: what follows `checksum` is in it. */
const headNames = ['magic', 'checksum', 'linesChecksum', 'documents', 'buckets', 'rareBuckets'] as const;
type Head = Readonly<Record<(typeof headNames)[number], number>>;
/** Average number of rows of a bucket. */
const rowsPerBucket = { words: 4, rare: 32 } as const;
/** Number of rows between two pauses. */
const rowsPerPause = 1_000;

export function wordsFile(segmentFile: string): string {
  return `${segmentFile}.words`;
}

/** Returns the name that a words file gets when it cannot be read, until it is written anew. */
export function unreadableWordsFile(segmentFile: string): string {
  return `${wordsFile(segmentFile)}.unreadable`;
}

/** Returns the parts of the file. Awaits `pause` between some rows. */
export async function encodeWords(table: WordTable, pause: Pause): Promise<readonly Buffer[]> {
  const { firstLines, postings, rare } = table;
  const buckets = bucketsFor(table.count, rowsPerBucket.words);
  const rareBuckets = rare === undefined ? 0 : bucketsFor(rare.count, rowsPerBucket.rare);
  const numbers = new Uint32Array(headNames.length + firstLines.length + buckets + rareBuckets + 1);
  const places = numbers.subarray(headNames.length + firstLines.length);
  const postingsAt = numbers.byteLength;
  const rows = [
    frequentRows(table, buckets, postingsAt),
    ...(rare === undefined ? [] : [rareRows(rare, buckets, rareBuckets)]),
  ];
  const bytes = await encodeBuckets(rows, places, postingsAt + postings.length, pause);
  numbers.set([magic, 0, checksumOf(firstLines), firstLines.length, buckets, rareBuckets]);
  numbers.set(firstLines, headNames.length);
  numbers[1] = headChecksum(numbers);
  return [Buffer.from(numbers.buffer), postings, bytes];
}

/** The rows of a table, each in a bucket. */
interface Rows {
  readonly count: number;
  bucketOf(index: number): number;
  bytesOf(index: number): number;
  /** Writes a row and returns the place after it. */
  write(bytes: Buffer, at: number, index: number): number;
}

/** Returns the rows of the words whose lines are stored. */
function frequentRows(
  { count, wordAt, endAt, postings }: WordTable,
  buckets: number,
  postingsAt: number,
): Rows {
  return {
    count,
    bucketOf: (index) => crc32(wordAt(index)) % buckets,
    bytesOf: (index) => rowBytes(wordAt(index)),
    write: (bytes, place, index) => {
      const word = wordAt(index);
      const from = index === 0 ? 0 : endAt(index - 1);
      const to = endAt(index);
      bytes[place] = word.length;
      bytes.set(word, place + 1);
      let at = bytes.writeUInt32LE(crc32(postings.subarray(from, to)), place + 1 + word.length);
      at = bytes.writeUInt32LE(postingsAt + from, at);
      return bytes.writeUInt32LE(to - from, at);
    },
  };
}

/** Returns the rows of rare words, whose buckets follow those of the others. */
function rareRows({ count, wordAt, documentAt }: RareWords, firstBucket: number, buckets: number): Rows {
  return {
    count,
    bucketOf: (index) => firstBucket + (crc32(wordAt(index)) % buckets),
    bytesOf: (index) => fingerprintBytes + varintBytes(documentAt(index)),
    write: (bytes, place, index) => {
      const at = bytes.writeUInt16LE(fingerprintOf(crc32(wordAt(index))), place);
      return writeVarint(bytes, at, documentAt(index));
    },
  };
}

/** Returns buckets of rows with their checksums, and sets their places, of which `start` is the first one. */
async function encodeBuckets(
  tables: readonly Rows[],
  places: Uint32Array,
  start: number,
  pause: Pause,
): Promise<Buffer> {
  /** The buckets of the rows of each table. */
  const bucketsOf = tables.map(({ count }) => new Uint32Array(count));
  for (const [table, { count, bucketOf, bytesOf }] of tables.entries()) {
    for (let index = 0; index < count; index++) {
      if (index % rowsPerPause === 0) await pause();
      const bucket = bucketOf(index);
      bucketsOf[table]![index] = bucket;
      places[bucket + 1]! += bytesOf(index);
    }
  }
  const buckets = places.length - 1;
  places[0] = start;
  for (let bucket = 0; bucket < buckets; bucket++) places[bucket + 1]! += places[bucket]! + numberBytes;
  const encoded = Buffer.alloc(places[buckets]! - start);
  /** The places in `encoded` after the rows of each bucket that were written. */
  const ends = places.map((place) => place - start);
  for (const [table, { count, write }] of tables.entries()) {
    for (let index = 0; index < count; index++) {
      if (index % rowsPerPause === 0) await pause();
      const bucket = bucketsOf[table]![index]!;
      ends[bucket] = write(encoded, ends[bucket]!, index);
    }
  }
  for (let bucket = 0; bucket < buckets; bucket++) {
    if (bucket % rowsPerPause === 0) await pause();
    const rows = encoded.subarray(places[bucket]! - start, ends[bucket]);
    encoded.writeUInt32LE(crc32(rows, bucket), ends[bucket]);
  }
  return encoded;
}

/** Takes a document with the numbers of its lines, 1-based and ascending: those of an array from one place to another. */
export type VisitLines = (document: number, lines: Uint32Array, from: number, to: number) => void;

/**
 * Calls `visit` with each document that has a word. Returns the documents, in ascending order, whose lines only the
 * text tells: none if all were visited, and `undefined` if any document may have the word.
 */
export function eachLineOfWord(
  segmentFile: string,
  word: string,
  visit: VisitLines,
): readonly number[] | undefined {
  if (!/^\w+$/.test(word) || word.length > maxWordBytes) return undefined;
  const found = readWord(segmentFile, Buffer.from(word, 'latin1'));
  if (found === undefined || 'documents' in found) return found?.documents;
  visitLines(found, visit);
  return [];
}

function visitLines({ firstLines, postings }: WordLines, visit: VisitLines): void {
  const cursor = { bytes: postings, at: 0 };
  // One array for all lines: a list for each document is most of the garbage of a frequent word.
  const lines = new Uint32Array(postings.length);
  let [document, from, to] = [0, 0, 0];
  const endOf = (at: number): number => firstLines[at + 1] ?? Number.POSITIVE_INFINITY;
  let end = endOf(0);
  for (let line = -1; cursor.at < postings.length; ) {
    line += readVarint(cursor) + 1;
    if (line >= end) {
      if (to > from) visit(document, lines, from, to);
      from = to;
      while (line >= end) end = endOf(++document);
    }
    lines[to++] = line - firstLines[document]! + 1;
  }
  if (to > from) visit(document, lines, from, to);
}

/** The lines of a word, as the file has them. */
interface WordLines {
  readonly firstLines: Uint32Array;
  readonly postings: Buffer;
}

/** The lines of a word, or the documents that may have it. */
type FoundWord = WordLines | { readonly documents: readonly number[] };

interface OpenFile {
  readonly fd: number;
  readonly size: number;
}

/** Codes of errors of a process that lacks open files or memory, which say nothing of the file. */
const lacks: ReadonlySet<string> = new Set(['EMFILE', 'ENFILE', 'ENOMEM']);

/** Reads what the file tells of a word; `undefined` if any document may have it. */
function readWord(segmentFile: string, word: Buffer): FoundWord | undefined {
  let fd: number | undefined;
  try {
    fd = openIfPresent(wordsFile(segmentFile));
    return fd === undefined ? undefined : findWord({ fd, size: fstatSync(fd).size }, word);
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

function findWord(file: OpenFile, word: Buffer): FoundWord | undefined {
  const head = readHead(file);
  const hash = crc32(word);
  const bucket = readBucket(file, head, hash % head.buckets);
  for (let at = 0; at < bucket.length; at += rowBytes({ length: bucket[at]! })) {
    const after = at + 1 + bucket[at]!;
    if (!bucket.subarray(at + 1, after).equals(word)) continue;
    const postings = readAt(file, bucket.readUInt32LE(after + 4), bucket.readUInt32LE(after + 8));
    check(crc32(postings) === bucket.readUInt32LE(after));
    return { firstLines: readFirstLines(file, head), postings };
  }
  if (word.length <= shortWordBytes) return { documents: [] };
  if (head.rareBuckets === 0) return undefined;
  const rare = readBucket(file, head, head.buckets + (hash % head.rareBuckets));
  return { documents: documentsOf(rare, fingerprintOf(hash)) };
}

/** Returns the documents with a fingerprint, in ascending order. */
function documentsOf(bucket: Buffer, fingerprint: number): readonly number[] {
  const documents = new Set<number>();
  for (const cursor = { bytes: bucket, at: 0 }; cursor.at < bucket.length; ) {
    const own = bucket.readUInt16LE(cursor.at);
    cursor.at += fingerprintBytes;
    const document = readVarint(cursor);
    if (own === fingerprint) documents.add(document);
  }
  return [...documents].toSorted((one, other) => one - other);
}

function readHead(file: OpenFile): Head {
  const numbers = readNumbers(file, 0, headNames.length);
  check(numbers[0] === magic && headChecksum(numbers) === numbers[1]);
  return Object.fromEntries(headNames.map((name, index) => [name, numbers[index]!])) as Head;
}

function readFirstLines(file: OpenFile, { documents, linesChecksum }: Head): Uint32Array {
  const firstLines = readNumbers(file, headNames.length * numberBytes, documents);
  check(checksumOf(firstLines) === linesChecksum);
  return firstLines;
}

/** Reads a bucket without its checksum. */
function readBucket(file: OpenFile, { documents }: Head, bucket: number): Buffer {
  const [from = 0, to = 0] = readNumbers(file, (headNames.length + documents + bucket) * numberBytes, 2);
  const bytes = readAt(file, from, to - from);
  const end = bytes.length - numberBytes;
  check(end >= 0 && crc32(bytes.subarray(0, end), bucket) === bytes.readUInt32LE(end));
  return bytes.subarray(0, end);
}

/** @throws RangeError for a damaged file */
function check(isSound: boolean): void {
  if (!isSound) throw new RangeError('the table of words is damaged');
}

function rowBytes({ length }: { readonly length: number }): number {
  return 1 + length + 3 * numberBytes;
}

/** Returns the checksum of the head after its own checksum. */
function headChecksum(numbers: Uint32Array): number {
  return checksumOf(numbers.subarray(2, headNames.length));
}

function checksumOf({ buffer, byteOffset, byteLength }: Uint32Array): number {
  return crc32(new Uint8Array(buffer, byteOffset, byteLength));
}

function bucketsFor(rows: number, perBucket: number): number {
  return Math.ceil(rows / perBucket) + 1;
}

/** Returns the bits of a hash that tell the words of a bucket apart. */
function fingerprintOf(hash: number): number {
  return hash >>> 16;
}

function readNumbers(file: OpenFile, at: number, count: number): Uint32Array {
  const { buffer, byteOffset } = readAt(file, at, count * numberBytes);
  return new Uint32Array(buffer, byteOffset, count);
}

/** @throws RangeError if the file is shorter */
function readAt({ fd, size }: OpenFile, at: number, length: number): Buffer {
  check(length >= 0 && at + length <= size);
  const bytes = Buffer.allocUnsafeSlow(length);
  for (let done = 0; done < length; ) {
    const count = readSync(fd, bytes, done, length - done, at + done);
    check(count > 0);
    done += count;
  }
  return bytes;
}

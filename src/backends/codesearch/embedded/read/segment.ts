import { closeSync, openSync, readSync } from 'node:fs';
import { setImmediate as nextTick } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { decodeColumns } from '../format/columns.ts';
import { decodeHeader, headerBytes, type Section, type SegmentHeader } from '../format/segment-header.ts';
import { type SegmentMeta, sectionIds, segmentMeta } from '../format/segment-sections.ts';
import { type BlockCache, blockCache, type SegmentBlocks } from './block-cache.ts';
import { type Content, compressedContent, rawContent } from './content.ts';
import { ownTables, type SegmentTables, type TableStore } from './table-store.ts';
import { type DocumentTable, documentTable } from './tables/document-table.ts';
import { type TermTable, termTable } from './tables/term-table.ts';
import { type TrigramTable, trigramTable } from './tables/trigram-table.ts';

/** Thrown if a segment file does not match its manifest. The segment is not used until the index is rebuilt. */
export class DamagedSegment extends Error {
  readonly file: string;

  constructor(file: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'DamagedSegment';
    this.file = file;
  }
}

export interface UnitTable {
  readonly count: number;
  readonly offsets: Uint32Array;
  readonly checksums: Uint32Array;
  readonly firstLines: Uint32Array;
  readonly flags: Uint8Array;
}

/**
 * Time after which verified text is verified again, in milliseconds: disks can fail under open files. Verifying on
 * every read would add a fifth to the work of a query that reads everything.
 */
const textRecheckMs = 60_000;
/**
 * Time after which a section of postings is verified again, in milliseconds. It is read completely to verify it: a
 * fifth of the text, at one or two gigabytes per second.
 */
const postingsRecheckMs = 60 * 60_000;
/** Maximum time that `verify` blocks the event loop, in milliseconds. */
const maxBlockingMs = 10;
/** Size of one read from a section that is verified and not kept, in bytes. */
const pieceBytes = 64 * 1024;

/** Sections that stay in memory after their first use. */
const keptSections = [
  sectionIds.units,
  sectionIds.documents,
  sectionIds.paths,
  sectionIds.trigrams,
  sectionIds.terms,
] as const;

/** Caches that outlive a segment: its tables, and its decompressed text. */
export interface SegmentCaches {
  readonly blocks: BlockCache;
  readonly tables: TableStore;
}

/** The default caches, which keep a single block of text. */
const noCaches: SegmentCaches = { blocks: blockCache(0), tables: ownTables };

/**
 * An open segment. Tables are loaded on first use and kept; threads that exchange their tables
 * (`thread/table-exchange.ts`) share those that one of them loaded. Content is read from its place in the file and
 * never kept.
 */
export class Segment {
  readonly meta: SegmentMeta;
  /** The file of the segment. */
  readonly file: string;
  readonly #fd: number;
  readonly #header: SegmentHeader;
  readonly #content: Content;
  readonly #blocks: SegmentBlocks;
  readonly #checked: Uint8Array;
  readonly #tables: SegmentTables;
  #units: UnitTable;
  #documents: DocumentTable;
  #checkedSince = performance.now();
  /** Time of the last verification of each section that is read in pieces. */
  readonly #verifiedAt = new Map<string, number>();
  #trigrams: TrigramTable | undefined;
  #terms: TermTable | undefined;

  /**
   * Opens a segment file.
   * @throws DamagedSegment if the magic number, the format or a checksum of a table is wrong.
   */
  constructor(file: string, checksum: number, { blocks, tables }: SegmentCaches = noCaches) {
    this.file = file;
    this.#fd = openSync(file, 'r');
    this.#blocks = blocks.ofSegment();
    this.#tables = tables.ofSegment(file, checksum, (name) => this.#replaced(name));
    try {
      this.#header = this.#readHeader(checksum);
      this.meta = segmentMeta.parse(JSON.parse(Buffer.from(this.#load(sectionIds.meta)).toString()));
      this.#content = this.#openContent();
      this.#units = this.#openUnits();
      this.#documents = this.#openDocuments();
      this.#checked = new Uint8Array(this.meta.units);
    } catch (error) {
      this.close();
      throw error instanceof DamagedSegment ? error : this.#damaged('a table cannot be read', error);
    }
  }

  /** Size of the tables in memory, in bytes. */
  get tableBytes(): number {
    return keptSections.reduce((sum, name) => sum + (this.#tables.get(name)?.byteLength ?? 0), 0);
  }

  get units(): UnitTable {
    return this.#units;
  }

  get documents(): DocumentTable {
    return this.#documents;
  }

  get trigrams(): TrigramTable {
    this.#trigrams ??= trigramTable(
      this.#table(sectionIds.trigrams),
      this.meta.units,
      this.#reader(sectionIds.postings),
    );
    return this.#trigrams;
  }

  get terms(): TermTable {
    this.#terms ??= termTable(this.#table(sectionIds.terms), this.#reader(sectionIds.termPostings));
    return this.#terms;
  }

  /** Returns the bytes of one unit. If `into` is large enough it holds them, and the next call may reuse it. */
  readUnit(unit: number, into?: Buffer): Buffer {
    const from = this.units.offsets[unit]!;
    const length = this.units.offsets[unit + 1]! - from;
    const bytes =
      into !== undefined && into.length >= length ? into.subarray(0, length) : Buffer.allocUnsafe(length);
    this.#readText(from, from + length, bytes);
    this.#resetChecked();
    if (this.#checked[unit] !== 1) this.#check(unit, bytes);
    return bytes;
  }

  /** Returns the adjacent units `from` up to `to` (exclusive). If `into` is given, it must have their length. */
  readUnits(from: number, to: number, into?: Buffer): Buffer {
    const { offsets } = this.units;
    const start = offsets[from]!;
    const bytes = into ?? Buffer.allocUnsafe(offsets[to]! - start);
    this.#readText(start, start + bytes.length, bytes);
    this.#resetChecked();
    for (let unit = from; unit < to; unit++) {
      if (this.#checked[unit] === 1) continue;
      this.#check(unit, bytes.subarray(offsets[unit]! - start, offsets[unit + 1]! - start));
    }
    return bytes;
  }

  #openUnits(): UnitTable {
    return unitTable(this.#table(sectionIds.units));
  }

  #openDocuments(): DocumentTable {
    return documentTable(this.meta, this.#table(sectionIds.documents), this.#table(sectionIds.paths));
  }

  /** Drops or reopens what was derived from the replaced table. */
  #replaced(name: string): void {
    if (name === sectionIds.units) this.#units = this.#openUnits();
    else if (name === sectionIds.documents || name === sectionIds.paths)
      this.#documents = this.#openDocuments();
    else if (name === sectionIds.trigrams) this.#trigrams = undefined;
    else if (name === sectionIds.terms) this.#terms = undefined;
  }

  #openContent(): Content {
    const { offset } = this.#section(sectionIds.content);
    const readAt = (at: number, into: Buffer): void => this.#readFully(into, offset + at);
    if (this.meta.codec === 'raw') return rawContent(readAt);
    return compressedContent(this.#load(sectionIds.blocks), readAt, this.#blocks);
  }

  #readText(from: number, to: number, into: Buffer): void {
    try {
      this.#content.read(from, to, into);
    } catch (error) {
      throw error instanceof DamagedSegment ? error : this.#damaged('the text cannot be read', error);
    }
  }

  /** Resets the verified units after `textRecheckMs`, so that their text is verified again. */
  #resetChecked(): void {
    const now = performance.now();
    if (now - this.#checkedSince < textRecheckMs) return;
    this.#checked.fill(0);
    this.#checkedSince = now;
  }

  #check(unit: number, bytes: Buffer): void {
    if (crc32(bytes) !== this.units.checksums[unit]) throw this.#damaged('the text has the wrong checksum');
    this.#checked[unit] = 1;
  }

  /**
   * Reads and verifies the whole segment in pieces, and yields to the event loop between them.
   * @throws DamagedSegment
   */
  async verify(): Promise<void> {
    let started = performance.now();
    const pieces = this.#verifyPieces();
    while (pieces.next().done !== true) {
      if (performance.now() - started < maxBlockingMs) continue;
      await nextTick();
      started = performance.now();
    }
  }

  *#verifyPieces(): Generator<void> {
    const buffer = Buffer.allocUnsafe(pieceBytes);
    for (const section of this.#header.sections) {
      // The content has a checksum per unit instead.
      if (section.name !== sectionIds.content) yield* this.#verifySection(section, buffer);
    }
    for (let unit = 0; unit < this.meta.units; unit++) {
      this.#checked[unit] = 0;
      this.readUnit(unit, buffer);
      yield;
    }
  }

  *#verifySection({ name, offset, length, checksum }: Section, buffer: Buffer): Generator<void> {
    let found = 0;
    for (let done = 0; done < length; done += buffer.length) {
      const piece = buffer.subarray(0, Math.min(buffer.length, length - done));
      this.#readFully(piece, offset + done);
      found = crc32(piece, found);
      yield;
    }
    if (found !== checksum) throw this.#damaged(`section ${name} has the wrong checksum`);
  }

  close(): void {
    this.#blocks.clear();
    this.#tables.close();
    closeSync(this.#fd);
  }

  #section(name: string): Section {
    const found = this.#header.sections.find((section) => section.name === name);
    if (found === undefined) throw this.#damaged(`section ${name} is missing`);
    return found;
  }

  /** Returns a section that is kept in memory as it is in the file. */
  #table(name: string): ArrayBufferLike {
    const known = this.#tables.get(name);
    if (known !== undefined) return known;
    const table = this.#read(this.#section(name), this.#tables.allocate(this.#section(name).length));
    this.#tables.add(name, table);
    return table;
  }

  /** Reads a section that is not kept. */
  #load(name: string): ArrayBuffer {
    return this.#read(this.#section(name), new ArrayBuffer(this.#section(name).length));
  }

  #read<Memory extends ArrayBufferLike>({ name, offset, checksum }: Section, into: Memory): Memory {
    this.#readFully(Buffer.from(into), offset);
    if (crc32(new Uint8Array(into)) !== checksum)
      throw this.#damaged(`section ${name} has the wrong checksum`);
    return into;
  }

  /**
   * Returns a function that reads pieces of a section, such as postings. The checksum of the section is verified
   * before the first piece, and again after `postingsRecheckMs`. Each thread verifies for itself, as with text, since
   * the result of another thread may be outdated.
   */
  #reader(name: string): (offset: number, length: number) => Buffer {
    const section = this.#section(name);
    return (offset, length) => {
      this.#verifyIfDue(section);
      const bytes = Buffer.allocUnsafe(length);
      this.#readFully(bytes, section.offset + offset);
      return bytes;
    };
  }

  #verifyIfDue(section: Section): void {
    const now = performance.now();
    const last = this.#verifiedAt.get(section.name);
    if (last !== undefined && now - last < postingsRecheckMs) return;
    for (const _ of this.#verifySection(section, Buffer.allocUnsafe(pieceBytes)));
    this.#verifiedAt.set(section.name, now);
  }

  #readHeader(checksum: number): SegmentHeader {
    const bytes = Buffer.alloc(headerBytes);
    this.#readFully(bytes, 0);
    const header = decodeHeader(bytes);
    if (header?.checksum !== checksum) throw this.#damaged('the header does not match the manifest');
    return header;
  }

  #readFully(into: Buffer, position: number): void {
    for (let done = 0; done < into.length; ) {
      const count = readSync(this.#fd, into, done, into.length - done, position + done);
      if (count === 0) throw this.#damaged('the file is truncated');
      done += count;
    }
  }

  #damaged(what: string, cause?: unknown): DamagedSegment {
    return new DamagedSegment(this.file, `damaged segment: ${what}`, { cause });
  }
}

function unitTable(bytes: ArrayBufferLike): UnitTable {
  const columns = decodeColumns(bytes);
  const flags = columns.u8(3);
  return {
    count: flags.length,
    offsets: columns.u32(0),
    checksums: columns.u32(1),
    firstLines: columns.u32(2),
    flags,
  };
}

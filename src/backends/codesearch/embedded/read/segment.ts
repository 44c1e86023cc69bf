import { closeSync, openSync, readSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { decodeColumns } from '../format/columns.ts';
import { decodeHeader, HEADER_BYTES, type Section, type SegmentHeader } from '../format/segment-header.ts';
import { SECTIONS, type SegmentMeta, segmentMeta } from '../format/segment-sections.ts';
import { type BlockCache, blockCache, type SegmentBlocks } from './block-cache.ts';
import { type Content, compressedContent, rawContent } from './content.ts';
import { type DocumentTable, documentTable } from './document-table.ts';
import { type SymbolTable, symbolTable, unpackSymbols } from './symbol-table.ts';
import { ownTables, type SegmentTables, type TableStore } from './table-store.ts';
import { formerTermTable, type TermTable, termTable } from './term-table.ts';
import { type TrigramTable, trigramTable } from './trigram-table.ts';

/** The file is not what its manifest promises. Nothing is answered from this segment until the index is built anew. */
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
 * What was read and found in order is checked again after so many milliseconds: disks go bad under open files. Checking
 * each time would add a fifth to the work of a query that reads everything.
 */
const CHECKED_FOR_MS = 60_000;
/** The same of sections of postings, which are read whole for it: a fifth of the text, at a gigabyte or two a second. */
const POSTINGS_CHECKED_FOR_MS = 60 * 60_000;
/** Whoever verifies a segment may have callers to answer, which wait no longer than this for their turn. */
const TURN_MS = 10;
/** Of a section that is checked and not kept. */
const PIECE_BYTES = 64 * 1024;

/** Sections that stay in memory once they were asked for. */
const KEPT = [
  SECTIONS.units,
  SECTIONS.documents,
  SECTIONS.paths,
  SECTIONS.trigrams,
  SECTIONS.terms,
  SECTIONS.formerTerms,
  SECTIONS.symbols,
] as const;

/** What outlives a segment: where its tables lie, and its text once it was decompressed. */
export interface SegmentCaches {
  readonly blocks: BlockCache;
  readonly tables: TableStore;
}

/** Without them, a single block of text is kept. */
const NO_CACHES: SegmentCaches = { blocks: blockCache(0), tables: ownTables };

/**
 * An open segment. Tables are loaded when first asked for and kept, by whoever loads them first for all threads that
 * exchange theirs (`thread/table-exchange.ts`); content is read at its place, never kept.
 */
export class Segment {
  readonly meta: SegmentMeta;
  readonly #file: string;
  readonly #fd: number;
  readonly #header: SegmentHeader;
  readonly #content: Content;
  readonly #blocks: SegmentBlocks;
  readonly #checked: Uint8Array;
  readonly #tables: SegmentTables;
  #units: UnitTable;
  #documents: DocumentTable;
  #checkedSince = performance.now();
  /** When sections that are read piece by piece were found in order. */
  readonly #verifiedAt = new Map<string, number>();
  #trigrams: TrigramTable | undefined;
  #terms: TermTable | undefined;
  #symbols: SymbolTable | undefined;

  /** @throws DamagedSegment when magic, format or a checksum of a table is wrong. */
  constructor(file: string, checksum: number, { blocks, tables }: SegmentCaches = NO_CACHES) {
    this.#file = file;
    this.#fd = openSync(file, 'r');
    this.#blocks = blocks.ofSegment();
    this.#tables = tables.ofSegment(file, checksum, (name) => this.#replaced(name));
    try {
      this.#header = this.#readHeader(checksum);
      this.meta = segmentMeta.parse(JSON.parse(Buffer.from(this.#load(SECTIONS.meta)).toString()));
      this.#content = this.#openContent();
      this.#units = this.#openUnits();
      this.#documents = this.#openDocuments();
      this.#checked = new Uint8Array(this.meta.units);
    } catch (error) {
      this.close();
      throw error instanceof DamagedSegment ? error : this.#damaged('an unreadable table', error);
    }
  }

  /** Of its tables that lie in memory. */
  get tableBytes(): number {
    return KEPT.reduce((sum, name) => sum + (this.#tables.get(name)?.byteLength ?? 0), 0);
  }

  get units(): UnitTable {
    return this.#units;
  }

  get documents(): DocumentTable {
    return this.#documents;
  }

  get trigrams(): TrigramTable {
    this.#trigrams ??= trigramTable(
      this.#table(SECTIONS.trigrams),
      this.meta.units,
      this.#reader(SECTIONS.postings),
    );
    return this.#trigrams;
  }

  get terms(): TermTable {
    this.#terms ??= this.#has(SECTIONS.terms)
      ? termTable(this.#table(SECTIONS.terms), this.#reader(SECTIONS.termPostings))
      : formerTermTable(this.#table(SECTIONS.formerTerms), this.#reader(SECTIONS.formerTermPostings));
    return this.#terms;
  }

  /** `undefined` for a segment that was built before segments had symbols. @throws DamagedSegment */
  get symbols(): SymbolTable | undefined {
    if (this.#symbols === undefined && this.#has(SECTIONS.symbols)) {
      this.#symbols = symbolTable(this.#tables.get(SECTIONS.symbols) ?? this.#unpackSymbols());
    }
    return this.#symbols;
  }

  /** The bytes of one unit, in memory that the next call may reuse when `into` is given and large enough. */
  readUnit(unit: number, into?: Buffer): Buffer {
    const from = this.units.offsets[unit]!;
    const length = this.units.offsets[unit + 1]! - from;
    const bytes =
      into !== undefined && into.length >= length ? into.subarray(0, length) : Buffer.allocUnsafe(length);
    this.#readText(from, from + length, bytes);
    this.#checkAgain();
    if (this.#checked[unit] !== 1) this.#check(unit, bytes);
    return bytes;
  }

  /** Units `from` up to `to` (exclusive), which lie together; `into` is as long as they are, where it is given. */
  readUnits(from: number, to: number, into?: Buffer): Buffer {
    const { offsets } = this.units;
    const start = offsets[from]!;
    const bytes = into ?? Buffer.allocUnsafe(offsets[to]! - start);
    this.#readText(start, start + bytes.length, bytes);
    this.#checkAgain();
    for (let unit = from; unit < to; unit++) {
      if (this.#checked[unit] === 1) continue;
      this.#check(unit, bytes.subarray(offsets[unit]! - start, offsets[unit + 1]! - start));
    }
    return bytes;
  }

  #openUnits(): UnitTable {
    return unitTable(this.#table(SECTIONS.units));
  }

  #openDocuments(): DocumentTable {
    return documentTable(this.meta, this.#table(SECTIONS.documents), this.#table(SECTIONS.paths));
  }

  #unpackSymbols(): ArrayBufferLike {
    const section = this.#load(SECTIONS.symbols);
    try {
      const unpacked = unpackSymbols(section, this.meta.documents, (bytes) => this.#tables.room(bytes));
      this.#tables.add(SECTIONS.symbols, unpacked);
      return unpacked;
    } catch (error) {
      throw this.#damaged('unreadable symbols', error);
    }
  }

  /** What was made of the former table goes with it. */
  #replaced(name: string): void {
    if (name === SECTIONS.units) this.#units = this.#openUnits();
    else if (name === SECTIONS.documents || name === SECTIONS.paths) this.#documents = this.#openDocuments();
    else if (name === SECTIONS.trigrams) this.#trigrams = undefined;
    else if (name === SECTIONS.symbols) this.#symbols = undefined;
    else if (name === SECTIONS.terms || name === SECTIONS.formerTerms) this.#terms = undefined;
  }

  #openContent(): Content {
    const { offset } = this.#section(SECTIONS.content);
    const readAt = (at: number, into: Buffer): void => this.#readFully(into, offset + at);
    if (this.meta.codec === 'raw') return rawContent(readAt);
    return compressedContent(this.#load(SECTIONS.blocks), readAt, this.#blocks);
  }

  #readText(from: number, to: number, into: Buffer): void {
    try {
      this.#content.read(from, to, into);
    } catch (error) {
      throw error instanceof DamagedSegment ? error : this.#damaged('text', error);
    }
  }

  /** Text is checked when it is first read, and now and then again. */
  #checkAgain(): void {
    const now = performance.now();
    if (now - this.#checkedSince < CHECKED_FOR_MS) return;
    this.#checked.fill(0);
    this.#checkedSince = now;
  }

  #check(unit: number, bytes: Buffer): void {
    if (crc32(bytes) !== this.units.checksums[unit]) throw this.#damaged('text');
    this.#checked[unit] = 1;
  }

  /** Reads everything once, a piece at a time, and lets others have their turn. @throws DamagedSegment */
  async verify(): Promise<void> {
    let turn = performance.now();
    const pieces = this.#verifyPieces();
    while (pieces.next().done !== true) {
      if (performance.now() - turn < TURN_MS) continue;
      await nextTurn();
      turn = performance.now();
    }
  }

  *#verifyPieces(): Generator<void> {
    const buffer = Buffer.allocUnsafe(PIECE_BYTES);
    for (const section of this.#header.sections) {
      // The content has a checksum for each unit.
      if (section.name !== SECTIONS.content) yield* this.#verifySection(section, buffer);
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
    if (found !== checksum) throw this.#damaged(`section ${name}`);
  }

  close(): void {
    this.#blocks.clear();
    this.#tables.close();
    closeSync(this.#fd);
  }

  #has(name: string): boolean {
    return this.#header.sections.some((section) => section.name === name);
  }

  #section(name: string): Section {
    const found = this.#header.sections.find((section) => section.name === name);
    if (found === undefined) throw this.#damaged(`no section ${name}`);
    return found;
  }

  /** A section that is kept as it lies in the file. */
  #table(name: string): ArrayBufferLike {
    const known = this.#tables.get(name);
    if (known !== undefined) return known;
    const table = this.#read(this.#section(name), this.#tables.room(this.#section(name).length));
    this.#tables.add(name, table);
    return table;
  }

  /** A section that is read and not kept. */
  #load(name: string): ArrayBuffer {
    return this.#read(this.#section(name), new ArrayBuffer(this.#section(name).length));
  }

  #read<Memory extends ArrayBufferLike>({ name, offset, checksum }: Section, into: Memory): Memory {
    this.#readFully(Buffer.from(into), offset);
    if (crc32(new Uint8Array(into)) !== checksum) throw this.#damaged(`section ${name}`);
    return into;
  }

  /**
   * Postings are read piece by piece; the section's checksum is verified before the first piece, and now and then
   * again. Each thread does so for itself, like with text: what another has found may be wrong by now.
   */
  #reader(name: string): (offset: number, length: number) => Buffer {
    const section = this.#section(name);
    return (offset, length) => {
      this.#verifyAgain(section);
      const bytes = Buffer.allocUnsafe(length);
      this.#readFully(bytes, section.offset + offset);
      return bytes;
    };
  }

  #verifyAgain(section: Section): void {
    const now = performance.now();
    const last = this.#verifiedAt.get(section.name);
    if (last !== undefined && now - last < POSTINGS_CHECKED_FOR_MS) return;
    for (const _ of this.#verifySection(section, Buffer.allocUnsafe(PIECE_BYTES)));
    this.#verifiedAt.set(section.name, now);
  }

  #readHeader(checksum: number): SegmentHeader {
    const bytes = Buffer.alloc(HEADER_BYTES);
    this.#readFully(bytes, 0);
    const header = decodeHeader(bytes);
    if (header?.checksum !== checksum) throw this.#damaged('a header its manifest does not name');
    return header;
  }

  #readFully(into: Buffer, position: number): void {
    for (let done = 0; done < into.length; ) {
      const count = readSync(this.#fd, into, done, into.length - done, position + done);
      if (count === 0) throw this.#damaged('an early end');
      done += count;
    }
  }

  #damaged(what: string, cause?: unknown): DamagedSegment {
    return new DamagedSegment(this.#file, `damaged segment: ${what}`, { cause });
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

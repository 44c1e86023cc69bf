import { closeSync, openSync, readSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { decodeColumns } from '../format/columns.ts';
import { decodeHeader, HEADER_BYTES, type Section, type SegmentHeader } from '../format/segment-header.ts';
import { SECTIONS, type SegmentMeta, segmentMeta } from '../format/segment-sections.ts';
import { type BlockCache, blockCache, type SegmentBlocks } from './block-cache.ts';
import { type Content, compressedContent, rawContent } from './content.ts';
import { type DocumentTable, documentTable } from './document-table.ts';
import { type SymbolTable, symbolTable } from './symbol-table.ts';
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
/** Whoever verifies a segment may have callers to answer, which wait no longer than this for their turn. */
const TURN_MS = 10;
/** Of a section that is checked and not kept. */
const PIECE_BYTES = 64 * 1024;

/** An open segment. Tables are loaded when first asked for and kept; content is read at its place, never kept. */
export class Segment {
  readonly meta: SegmentMeta;
  readonly units: UnitTable;
  readonly documents: DocumentTable;
  readonly #file: string;
  readonly #fd: number;
  readonly #header: SegmentHeader;
  readonly #content: Content;
  readonly #blocks: SegmentBlocks;
  readonly #checked: Uint8Array;
  #checkedSince = performance.now();
  #trigrams: TrigramTable | undefined;
  #terms: TermTable | undefined;
  #symbols: SymbolTable | undefined;

  /**
   * Compressed text is kept in `cache` once it was read; without one, a single block of it is.
   * @throws DamagedSegment when magic, format or a checksum of a table is wrong.
   */
  constructor(file: string, checksum: number, cache: BlockCache = blockCache(0)) {
    this.#file = file;
    this.#blocks = cache.ofSegment();
    this.#fd = openSync(file, 'r');
    try {
      this.#header = this.#readHeader(checksum);
      this.meta = segmentMeta.parse(JSON.parse(Buffer.from(this.#load(SECTIONS.meta)).toString()));
      this.#content = this.#openContent();
      this.units = unitTable(this.#load(SECTIONS.units));
      this.documents = documentTable(this.meta, this.#load(SECTIONS.documents), this.#load(SECTIONS.paths));
      this.#checked = new Uint8Array(this.meta.units);
    } catch (error) {
      closeSync(this.#fd);
      throw error instanceof DamagedSegment ? error : this.#damaged('an unreadable table', error);
    }
  }

  get trigrams(): TrigramTable {
    this.#trigrams ??= trigramTable(
      this.#load(SECTIONS.trigrams),
      this.meta.units,
      this.#reader(SECTIONS.postings),
    );
    return this.#trigrams;
  }

  get terms(): TermTable {
    this.#terms ??= this.#has(SECTIONS.terms)
      ? termTable(this.#load(SECTIONS.terms), this.#reader(SECTIONS.termPostings))
      : formerTermTable(this.#load(SECTIONS.formerTerms), this.#reader(SECTIONS.formerTermPostings));
    return this.#terms;
  }

  /** `undefined` for a segment that was built before segments had symbols. @throws DamagedSegment */
  get symbols(): SymbolTable | undefined {
    if (this.#symbols === undefined && this.#has(SECTIONS.symbols)) {
      const section = this.#load(SECTIONS.symbols);
      try {
        this.#symbols = symbolTable(section, this.meta.documents);
      } catch (error) {
        throw this.#damaged('unreadable symbols', error);
      }
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

  #load(name: string): ArrayBuffer {
    const section = this.#section(name);
    const bytes = new ArrayBuffer(section.length);
    this.#readFully(Buffer.from(bytes), section.offset);
    if (crc32(new Uint8Array(bytes)) !== section.checksum) throw this.#damaged(`section ${name}`);
    return bytes;
  }

  /** Postings are read piece by piece; the section's checksum is verified once, before the first piece. */
  #reader(name: string): (offset: number, length: number) => Buffer {
    const section = this.#section(name);
    for (const _ of this.#verifySection(section, Buffer.allocUnsafe(PIECE_BYTES)));
    return (offset, length) => {
      const bytes = Buffer.allocUnsafe(length);
      this.#readFully(bytes, section.offset + offset);
      return bytes;
    };
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

function unitTable(bytes: ArrayBuffer): UnitTable {
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

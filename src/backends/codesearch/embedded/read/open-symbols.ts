import { closeSync, fstatSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { openIfPresent } from '../format/durable-files.ts';
import type { SegmentEntry } from '../format/manifest.ts';
import { areSymbolsDamaged, markSymbolsDamaged, type SymbolsEntry } from '../format/symbols-file.ts';
import { ownTables, type SegmentTables, type TableStore } from './table-store.ts';
import { emptySymbols, type SymbolTable, symbolTable, unpackSymbols } from './tables/symbol-table.ts';

/** Name of the table in a `TableStore`. */
const symbolsTable = 'symbols';

/** A file of definitions that was there when it was opened. */
interface OpenFile {
  readonly symbols: SymbolsEntry;
  readonly tables: SegmentTables;
  /** Closed once the table is loaded, so that a segment in use needs a single descriptor. */
  fd: number | undefined;
}

/**
 * The definitions of a segment in one generation, which stay readable when their file is deleted. The table is loaded
 * on first use. It is empty if no definitions were read yet, and if the file is damaged. A damaged file gets a mark, so
 * that the writer reads the definitions anew; the segment itself stays in use.
 */
export class OpenSymbols {
  /** Name of the file; `undefined` if the generation has none. */
  readonly file: string | undefined;
  /** True if the file does not exist, because a later generation replaced it or because it was lost. */
  readonly isMissing: boolean;
  readonly #folder: string;
  readonly #documents: number;
  readonly #open: OpenFile | undefined;
  #table: SymbolTable | undefined;

  constructor(
    folder: string,
    { symbols, documents }: Pick<SegmentEntry, 'symbols' | 'documents'>,
    store: TableStore = ownTables,
  ) {
    this.file = symbols?.file;
    this.#folder = folder;
    this.#documents = documents;
    const expected = areSymbolsDamaged(folder, symbols) ? undefined : symbols;
    const fd = expected && openIfPresent(join(folder, expected.file));
    this.isMissing = expected !== undefined && fd === undefined;
    if (expected === undefined || fd === undefined) return;
    const tables = store.ofSegment(join(folder, expected.file), expected.checksum, () => {
      this.#table = undefined;
    });
    this.#open = { symbols: expected, tables, fd };
  }

  get table(): SymbolTable {
    this.#table ??= this.#load();
    this.#closeFile();
    return this.#table;
  }

  /** Size of the table in memory, in bytes. */
  get tableBytes(): number {
    return this.#open?.tables.get(symbolsTable)?.byteLength ?? 0;
  }

  /** Returns whether the file is there and undamaged. Reads it unless the table is loaded. */
  isIntact(): boolean {
    if (this.#open === undefined) return false;
    return this.#open.fd === undefined || this.#read(this.#open) !== undefined;
  }

  close(): void {
    this.#closeFile();
    this.#open?.tables.close();
  }

  #load(): SymbolTable {
    const open = this.#open;
    const known = open?.tables.get(symbolsTable);
    if (known !== undefined) return symbolTable(known);
    const bytes = open && this.#read(open);
    if (open === undefined || bytes === undefined) return emptySymbols(this.#documents);
    const unpacked = unpackSymbols(bytes, this.#documents, (size) => open.tables.allocate(size));
    open.tables.add(symbolsTable, unpacked);
    return symbolTable(unpacked);
  }

  /** Returns the content of the file; `undefined` if it was closed. Marks a damaged one, and returns `undefined`. */
  #read({ fd, symbols }: OpenFile): ArrayBuffer | undefined {
    if (fd === undefined) return undefined;
    const bytes = new Uint8Array(fstatSync(fd).size);
    let done = 0;
    for (let count = -1; done < bytes.length && count !== 0; done += count)
      count = readSync(fd, bytes, done, bytes.length - done, done);
    if (crc32(bytes) === symbols.checksum) return bytes.buffer;
    markSymbolsDamaged(this.#folder, symbols);
    return undefined;
  }

  #closeFile(): void {
    if (this.#open?.fd === undefined) return;
    closeSync(this.#open.fd);
    this.#open.fd = undefined;
  }
}

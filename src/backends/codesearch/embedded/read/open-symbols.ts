import { closeSync, fstatSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { openIfPresent } from '../format/durable-files.ts';
import type { SegmentEntry } from '../format/manifest.ts';
import { areSymbolsDamaged, markSymbolsDamaged, type SymbolsEntry } from '../format/symbols-file.ts';
import { ownTables, type SegmentTables, type TableStore } from './table-store.ts';
import { emptySymbols, type SymbolTable, symbolTable, unpackSymbols } from './tables/symbol-table.ts';

/**
 * The definitions of a segment in one generation. The table is loaded on first use. It is empty if no definitions were
 * read yet, and if the file is damaged. A damaged file gets a mark, so that the writer reads the definitions anew; the
 * segment itself stays in use.
 */
export interface OpenSymbols {
  /** Name of the file; `undefined` if the generation has none. */
  readonly file: string | undefined;
  /** True if the file does not exist, because a later generation replaced it or because it was lost. */
  readonly isMissing: boolean;
  readonly table: SymbolTable;
  /** Size of the table in memory, in bytes. */
  readonly tableBytes: number;
  /** Returns whether the file is undamaged. Reads it unless the table is loaded. */
  isIntact(): boolean;
  close(): void;
}

/** Name of the table in a `TableStore`. */
const symbolsTable = 'symbols';

/** Opens the definitions of a segment. They stay readable when the file is deleted. */
export function openSymbols(
  folder: string,
  { symbols, documents }: Pick<SegmentEntry, 'symbols' | 'documents'>,
  tables: TableStore = ownTables,
): OpenSymbols {
  if (symbols === undefined || areSymbolsDamaged(folder, symbols))
    return unreadSymbols(symbols, documents, false);
  const fd = openIfPresent(join(folder, symbols.file));
  if (fd === undefined) return unreadSymbols(symbols, documents, true);
  return new SymbolsFile(fd, { folder, symbols, documents }, tables);
}

function unreadSymbols(
  symbols: SymbolsEntry | undefined,
  documents: number,
  isMissing: boolean,
): OpenSymbols {
  let table: SymbolTable | undefined;
  return {
    file: symbols?.file,
    isMissing,
    get table() {
      table ??= emptySymbols(documents);
      return table;
    },
    tableBytes: 0,
    isIntact: () => symbols === undefined,
    close: () => undefined,
  };
}

interface Place {
  readonly folder: string;
  readonly symbols: SymbolsEntry;
  readonly documents: number;
}

class SymbolsFile implements OpenSymbols {
  readonly file: string;
  readonly isMissing = false;
  readonly #place: Place;
  readonly #tables: SegmentTables;
  /** Closed once the table is loaded, so that a segment in use needs a single descriptor. */
  #fd: number | undefined;
  #table: SymbolTable | undefined;

  constructor(fd: number, place: Place, tables: TableStore) {
    const { folder, symbols } = place;
    this.file = symbols.file;
    this.#fd = fd;
    this.#place = place;
    this.#tables = tables.ofSegment(join(folder, symbols.file), symbols.checksum, () => {
      this.#table = undefined;
    });
  }

  get table(): SymbolTable {
    this.#table ??= this.#load();
    this.#closeFile();
    return this.#table;
  }

  get tableBytes(): number {
    return this.#tables.get(symbolsTable)?.byteLength ?? 0;
  }

  isIntact(): boolean {
    return this.#fd === undefined || this.#read(this.#fd) !== undefined;
  }

  close(): void {
    this.#closeFile();
    this.#tables.close();
  }

  #load(): SymbolTable {
    const { documents } = this.#place;
    const known = this.#tables.get(symbolsTable);
    if (known !== undefined) return symbolTable(known);
    const bytes = this.#fd === undefined ? undefined : this.#read(this.#fd);
    if (bytes === undefined) return emptySymbols(documents);
    const unpacked = unpackSymbols(bytes, documents, (size) => this.#tables.allocate(size));
    this.#tables.add(symbolsTable, unpacked);
    return symbolTable(unpacked);
  }

  /** Returns the content of the file. Marks the file and returns `undefined` if it is damaged. */
  #read(fd: number): ArrayBuffer | undefined {
    const bytes = new Uint8Array(fstatSync(fd).size);
    let done = 0;
    for (let count = -1; done < bytes.length && count !== 0; done += count)
      count = readSync(fd, bytes, done, bytes.length - done, done);
    const { folder, symbols } = this.#place;
    if (crc32(bytes) === symbols.checksum) return bytes.buffer;
    markSymbolsDamaged(folder, symbols);
    return undefined;
  }

  #closeFile(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }
}

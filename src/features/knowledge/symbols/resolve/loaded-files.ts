import type { TableFile, Target } from './table-file.ts';

/** A file with its definitions by name. */
export interface LoadedFile {
  readonly file: TableFile;
  readonly byName: ReadonlyMap<string, readonly Target[]>;
}

/** Maximum number of definitions and imports of the loaded files together: some 300 bytes each. */
const maxNames = 60_000;
/** Maximum number of those that are read again for one file: files are if not all that it needs fit into `maxNames`. */
const maxAgain = 1_000_000;

/** The files of a symbol table that were used last. */
export class LoadedFiles {
  readonly #read: (path: string) => TableFile;
  /** The one that was used last is at the end. */
  readonly #files = new Map<string, LoadedFile>();
  #names = 0;
  /** The file at the end of `#files`, which need not be moved there again. */
  #last: LoadedFile | undefined;
  /** The paths that were read for the present file, and the number of names in those that were read again. */
  readonly #seen = new Set<string>();
  #again = 0;

  constructor(read: (path: string) => TableFile) {
    this.#read = read;
  }

  /** True if files that do not fit together were read so often for one file that no more are worth it. */
  get isSpent(): boolean {
    return this.#again > maxAgain;
  }

  /** Begins to count what is read for another file. */
  begin(): void {
    this.#seen.clear();
    this.#again = 0;
  }

  get(path: string): LoadedFile {
    const known = this.#files.get(path);
    if (known !== undefined && known === this.#last) return known;
    const loaded = known ?? load(this.#read(path));
    if (known === undefined) {
      const size = sizeOf(loaded);
      this.#names += size;
      if (this.#seen.has(path)) this.#again += size;
    } else this.#files.delete(path);
    this.#seen.add(path);
    this.#files.set(path, loaded);
    this.#last = loaded;
    if (this.#names <= maxNames) return loaded;
    for (const [other, each] of this.#files) {
      if (this.#names <= maxNames || other === path) break;
      this.#files.delete(other);
      this.#names -= sizeOf(each);
    }
    return loaded;
  }

  forget(path: string): void {
    const known = this.#files.get(path);
    if (known === undefined) return;
    this.#files.delete(path);
    this.#names -= sizeOf(known);
  }
}

function load(file: TableFile): LoadedFile {
  const targets = file.symbols.map((symbol): Target => ({ path: file.path, symbol }));
  return { file, byName: Map.groupBy(targets, ({ symbol }) => symbol.name) };
}

function sizeOf({ file: { symbols, imports, references } }: LoadedFile): number {
  const fields = symbols.reduce((sum, symbol) => sum + Object.keys(symbol.fields ?? {}).length, 0);
  return symbols.length + fields + imports.length + references.length + 1;
}

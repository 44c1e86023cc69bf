import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { suffixesOf } from '../links/text-references.ts';
import type { ParsedFile } from '../symbols/parsed-file.ts';
import { type GoModule, SymbolTable } from '../symbols/resolve/symbol-table.ts';

/** The data of a file that is kept between two projections. */
export interface KnownFile {
  readonly oid: string;
  /** The relations of a code file, compressed. */
  readonly packed: Uint8Array | undefined;
  /** The other inputs of its facts; see `contextOf`. */
  context: string;
  /** Hash of the facts that were written. */
  digest: string;
}

/**
 * The files of one repository at one commit, with the names that they define. Kept between projections, so that a push
 * costs what it changed; it can always be read again from the repository.
 */
export class RepositoryFiles {
  readonly symbols: SymbolTable;
  readonly known = new Map<string, KnownFile>();
  readonly #ends = new Map<string, number>();
  commit = '';
  basis = '';

  constructor(goModules: readonly GoModule[]) {
    this.symbols = new SymbolTable({ goModules });
  }

  /** Adds or replaces a file. Returns whether that may change what the uses in other files mean. */
  set(path: string, oid: string, parsed: ParsedFile | undefined): boolean {
    const former = this.known.get(path);
    const before = this.#signature(path);
    if (former === undefined) this.#count(path, 1);
    this.known.set(path, { oid, packed: parsed && pack(parsed), context: '', digest: '' });
    if (parsed === undefined) this.symbols.delete(path);
    else this.symbols.set(parsed);
    return before !== this.#signature(path);
  }

  /** Removes a file. Returns whether that may change what the uses in other files mean. */
  delete(path: string): boolean {
    if (!this.known.delete(path)) return false;
    this.#count(path, -1);
    const before = this.#signature(path);
    this.symbols.delete(path);
    return before !== undefined;
  }

  parsed(path: string): ParsedFile | undefined {
    const packed = this.known.get(path)?.packed;
    return packed && (JSON.parse(zstdDecompressSync(packed).toString()) as ParsedFile);
  }

  /** Returns the shortest end of a path, at least two names, that no other file has. */
  readonly uniqueEnd = (path: string): string | undefined =>
    endsOf(path).findLast((end) => this.#ends.get(end) === 1);

  /** Returns what other files see of a file: its names, and what it passes on; without lines. */
  #signature(path: string): string | undefined {
    const file = this.symbols.get(path);
    if (file === undefined) return undefined;
    return JSON.stringify([
      file.language,
      file.package,
      file.symbols.map(({ qualifiedName, kind, returns }) => `${qualifiedName} ${kind} ${returns ?? ''}`),
      file.imports.map(({ source, name, local }) => [source, name, local]),
      file.references.map(({ name, receiver, from }) => [name, receiver, from]),
    ]);
  }

  #count(path: string, by: number): void {
    for (const end of endsOf(path)) {
      const count = (this.#ends.get(end) ?? 0) + by;
      if (count === 0) this.#ends.delete(end);
      else this.#ends.set(end, count);
    }
  }
}

/** Ends of at least two names, the longest first. */
function endsOf(path: string): readonly string[] {
  return suffixesOf(path).slice(0, -1);
}

/** Copies what zlib returns into memory of its own: the former is a small part of 32 KB that it keeps in use. */
function pack(parsed: ParsedFile): Uint8Array {
  return new Uint8Array(zstdCompressSync(JSON.stringify(parsed)));
}

import type { ParsedFile, ParseFailure } from '../../../backends/languages/port.ts';
import { suffixesOf } from '../links/text-references.ts';
import { RepositoryPackages } from '../packages/repository-packages.ts';
import { hashOf } from '../symbols/resolve/name-index.ts';
import { SymbolTable } from '../symbols/resolve/symbol-table.ts';
import type { TableFile } from '../symbols/resolve/table-file.ts';
import { type ChangedNames, changedNames, namesType, variablesFrom } from './changed-names.ts';
import type { LeftOutFile, UnparsedFile } from './left-out-files.ts';
import { nameHash, ParsedFiles, type StoredFile } from './parsed-files.ts';

/** The data of a file that is kept between two projections. */
export interface KnownFile {
  readonly oid: string;
  /** The relations of a code file. */
  readonly stored: StoredFile | undefined;
  /** The reason why nothing of a code file could be read. */
  readonly failed: ParseFailure | undefined;
  /** The other inputs of its facts: the unique end of its path, and the rules that name its owners. */
  context: string;
  /** False if the search for its owners took too long. */
  ownersRead: boolean;
  /** Hash of the facts that were written. */
  digest: string;
}

/**
 * The files of one repository at one commit, with the names that they define. Kept between projections, so that a push
 * costs what it changed; it can always be read again from the repository. Must be closed.
 */
export class RepositoryFiles {
  readonly symbols: SymbolTable;
  readonly known = new Map<string, KnownFile>();
  readonly #parsed: ParsedFiles;
  /** Numbers of files by the hashes of the ends of their paths. */
  readonly #ends = new Map<number, number>();
  /** Rises with each path that is added or removed. */
  #paths = 0;
  #context: string | undefined;
  #packages = new RepositoryPackages();
  commit = '';
  basis = '';

  /** `folder`: where a temporary file may be. */
  constructor(folder: string) {
    this.#parsed = new ParsedFiles(folder);
    this.symbols = new SymbolTable((path) => this.#table(path) ?? fail(path));
  }

  get packages(): RepositoryPackages {
    return this.#packages;
  }

  set packages(packages: RepositoryPackages) {
    this.#packages = packages;
    this.symbols.roots = packages.roots;
  }

  /** Adds a file at a new path. */
  add(path: string, oid: string, parsed: ParsedFile | undefined, failed?: ParseFailure): void {
    this.#count(path, 1);
    const stored = parsed && this.#parsed.store(parsed);
    this.known.set(path, { oid, stored, failed, context: '', ownersRead: true, digest: '' });
    if (parsed !== undefined) this.symbols.add(parsed);
  }

  /** Adds or replaces a file. Returns the names whose meaning in other files that may change. */
  set(path: string, oid: string, parsed: ParsedFile | undefined, failed?: ParseFailure): ChangedNames {
    const before = this.#table(path);
    const paths = this.#paths;
    const isKnown = this.known.has(path);
    this.delete(path);
    this.add(path, oid, parsed, failed);
    if (isKnown) this.#paths = paths;
    return changedNames(before, this.#table(path));
  }

  /** Removes a file. Returns the names whose meaning in other files that may change. */
  delete(path: string): ChangedNames {
    const former = this.known.get(path);
    if (former === undefined) return new Set();
    const before = this.#table(path);
    this.symbols.delete(path);
    if (former.stored !== undefined) this.#parsed.release(former.stored);
    this.known.delete(path);
    this.#count(path, -1);
    return changedNames(before, undefined);
  }

  /** Yields the code files of which nothing could be read. */
  *unparsed(): Generator<UnparsedFile, void> {
    for (const [path, { oid, failed }] of this.known) if (failed !== undefined) yield { path, oid, failed };
  }

  /** Yields the files of which the graph lacks something: their content, or their owners. */
  *leftOut(): Generator<LeftOutFile, void> {
    for (const [path, { failed, ownersRead }] of this.known) {
      if (failed !== undefined) yield { path, reason: failed };
      if (!ownersRead) yield { path, reason: 'owners_not_read' };
    }
  }

  parsed(path: string): ParsedFile | undefined {
    const stored = this.known.get(path)?.stored;
    return stored && this.#parsed.parsed(stored);
  }

  /** Returns the paths of the files whose uses may mean something else after a change of names. */
  using(changed: ChangedNames): ReadonlySet<string> | 'all' {
    const found = new Set<string>();
    if (changed === 'all') return changed;
    const seen = new Set(changed);
    for (let wave: ReadonlySet<string> = changed; wave.size > 0; ) {
      const aliases = new Set<string>();
      const hashes = new Set([...wave].map(nameHash));
      for (const [path, { stored }] of this.known) {
        if (stored === undefined || !this.#parsed.mayName(stored, hashes)) continue;
        found.add(path);
        const table = this.#parsed.table(stored);
        for (const name of variablesFrom(table, wave)) if (!seen.has(name)) aliases.add(name);
        for (const { name, local } of table.imports) {
          if (name === undefined || local === undefined || !wave.has(name)) continue;
          if (namesType(table, local)) return 'all';
          if (!seen.has(local)) aliases.add(local);
        }
      }
      for (const alias of aliases) seen.add(alias);
      wave = aliases;
    }
    return found;
  }

  /** Returns the shortest end of a path, at least two names, that no other file has. */
  readonly uniqueEnd = (path: string): string | undefined =>
    endsOf(path).findLast((end) => this.#ends.get(hashOf(end)) === 1);

  /** Returns whether the owners and the paths of all files are those that facts were written with. */
  hasContext(ownersId: string): boolean {
    return this.#context === `${this.#paths} ${ownersId}`;
  }

  keepContext(ownersId: string): void {
    this.#context = `${this.#paths} ${ownersId}`;
  }

  /** True if most of the temporary file is no longer used. */
  get isWasteful(): boolean {
    return this.#parsed.isWasteful;
  }

  close(): void {
    this.#parsed.close();
  }

  #table(path: string): TableFile | undefined {
    const stored = this.known.get(path)?.stored;
    return stored && this.#parsed.table(stored);
  }

  #count(path: string, by: number): void {
    this.#paths += 1;
    for (const end of endsOf(path)) {
      const hash = hashOf(end);
      const count = (this.#ends.get(hash) ?? 0) + by;
      if (count === 0) this.#ends.delete(hash);
      else this.#ends.set(hash, count);
    }
  }
}

function fail(path: string): never {
  throw new Error(`${path} is not among the parsed files`);
}

/** Ends of at least two names, the longest first. */
function endsOf(path: string): readonly string[] {
  return suffixesOf(path).slice(0, -1);
}

import { languages } from '../languages/languages.ts';
import type { FileSymbol, ParsedFile } from '../parsed-file.ts';

/** The data of a file that a symbol table keeps. */
export type TableFile = Omit<ParsedFile, 'calls'>;

/** A definition and its file. */
export interface Target {
  readonly path: string;
  readonly symbol: FileSymbol;
}

/** The folder that a Go module begins in, and its path: the `module` line of `go.mod`. */
export interface GoModule {
  readonly folder: string;
  readonly path: string;
}

interface Entry {
  readonly file: TableFile;
  readonly byName: ReadonlyMap<string, readonly Target[]>;
}

/**
 * The files and definitions of one repository, for the resolution of names. Files are replaced one at a time, so that a
 * push costs what it changed.
 */
export class SymbolTable {
  readonly goModules: readonly GoModule[];
  readonly #files = new Map<string, Entry>();
  /** Definitions by family and name. */
  readonly #named = new Map<string, Set<Target>>();
  /** Paths by what files are looked up by. */
  readonly #paths = new Map<string, Set<string>>();

  constructor({ goModules = [] }: { readonly goModules?: readonly GoModule[] } = {}) {
    this.goModules = goModules;
  }

  set(file: ParsedFile): void {
    this.delete(file.path);
    const { calls: _, references, ...rest } = file;
    const kept: TableFile = { ...rest, references: references.filter(({ kind }) => kind === 'inherits') };
    const targets = file.symbols.map((symbol) => ({ path: file.path, symbol }));
    const byName = Map.groupBy(targets, ({ symbol }) => symbol.name);
    this.#files.set(file.path, { file: kept, byName });
    for (const target of targets) addTo(this.#named, nameKey(file.language, target), target);
    for (const key of pathKeys(kept)) addTo(this.#paths, key, file.path);
  }

  delete(path: string): void {
    const entry = this.#files.get(path);
    if (entry === undefined) return;
    for (const target of [...entry.byName.values()].flat()) {
      removeFrom(this.#named, nameKey(entry.file.language, target), target);
    }
    for (const key of pathKeys(entry.file)) removeFrom(this.#paths, key, path);
    this.#files.delete(path);
  }

  get(path: string): TableFile | undefined {
    return this.#files.get(path)?.file;
  }

  /** Returns the definitions with a name in the languages of a family. */
  named(family: string, name: string): ReadonlySet<Target> {
    return this.#named.get(`${family} ${name}`) ?? new Set();
  }

  /** Returns the definitions with a name in some files. */
  inFiles(paths: Iterable<string>, name: string): readonly Target[] {
    const found: Target[] = [];
    for (const path of paths) found.push(...(this.#files.get(path)?.byName.get(name) ?? []));
    return found;
  }

  /**
   * Returns the definition with a qualified name in a file. Of several, such as overloads, or a method beside a private
   * field, the first one that is not a field.
   */
  qualified(path: string, qualifiedName: string): Target | undefined {
    const name = qualifiedName.slice(qualifiedName.lastIndexOf('.') + 1);
    const named = this.inFiles([path], name).filter(({ symbol }) => symbol.qualifiedName === qualifiedName);
    return named.find(({ symbol }) => symbol.kind !== 'field') ?? named[0];
  }

  /** Returns the paths that end with whole segments: `b/c.py` ends `a/b/c.py`. */
  endingWith(suffix: string): readonly string[] {
    const candidates = this.#paths.get(`base ${baseOf(suffix)}`) ?? [];
    return [...candidates].filter((path) => path === suffix || path.endsWith(`/${suffix}`));
  }

  /** Returns the files directly in a folder. */
  inFolder(folder: string): readonly string[] {
    return [...(this.#paths.get(`folder ${folder}`) ?? [])];
  }

  /** Returns the files that declare a package. */
  inPackage(family: string, name: string): readonly string[] {
    return [...(this.#paths.get(`package ${family} ${name}`) ?? [])];
  }
}

export function familyOf(language: string): string {
  return languages.get(language)?.family ?? '';
}

/** Returns the folder of a path; empty for the root. */
export function folderOf(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf('/'), 0));
}

function baseOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function nameKey(language: string, { symbol }: Target): string {
  return `${familyOf(language)} ${symbol.name}`;
}

function pathKeys({ path, language, package: declared }: TableFile): string[] {
  const keys = [`base ${baseOf(path)}`, `folder ${folderOf(path)}`];
  return declared === undefined ? keys : [...keys, `package ${familyOf(language)} ${declared}`];
}

function addTo<T>(map: Map<string, Set<T>>, key: string, value: T): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, new Set([value]));
  else known.add(value);
}

function removeFrom<T>(map: Map<string, Set<T>>, key: string, value: T): void {
  const known = map.get(key);
  known?.delete(value);
  if (known?.size === 0) map.delete(key);
}

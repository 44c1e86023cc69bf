import { posix } from 'node:path';
import type { ImportedName, ParsedFile } from '../outline.ts';

/** The files of a repository with definitions, as far as imports are resolved with them. */
export interface FileTable {
  readonly modules: ModuleNames;
  has(path: string): boolean;
  /** Returns the files whose path ends with whole names: `lib/a.rb`. */
  endingWith(suffix: string): readonly string[];
  inFolder(folder: string): readonly string[];
  /** Returns the files that declare a package, in the languages of a family. */
  inPackage(family: string, name: string): readonly string[];
  /** Returns those of the files that define a name outside of types. */
  defining(paths: readonly string[], name: string): readonly string[];
}

/** The names that the manifests of a repository give to its folders. */
export interface ModuleNames {
  /** Folders of the Go modules, by the name in `go.mod`. */
  readonly go: ReadonlyMap<string, string>;
  /** Folders of the npm packages, by name. */
  readonly npm: ReadonlyMap<string, string>;
  /** Returns the other names for paths that hold below a folder, without those of the folders around it. */
  readonly aliasesIn: (folder: string) => readonly PathAlias[];
}

export const noModules: ModuleNames = { go: new Map(), npm: new Map(), aliasesIn: () => [] };

/** Another name for paths of the repository: `@/*` for `web/src/*`. Each may have one `*`. */
export interface PathAlias {
  readonly pattern: string;
  readonly targets: readonly string[];
}

export type ImportingFile = Pick<ParsedFile, 'path' | 'package'>;

/**
 * Returns the files of the repository that an import names: one, or the files of a package. Empty if it comes from
 * elsewhere.
 */
export type ResolveImport = (
  table: FileTable,
  from: ImportingFile,
  imported: ImportedName,
) => readonly string[];

/** Returns the first of the paths that exists. */
export function firstKnown(table: FileTable, paths: readonly string[]): readonly string[] {
  const found = paths.find((path) => table.has(path));
  return found === undefined ? [] : [found];
}

/** Returns the file at a path relative to the importer. */
export function beside(table: FileTable, from: ImportingFile, path: string): readonly string[] {
  return firstKnown(table, [joinPath(folderOf(from.path), path)]);
}

/** Yields a folder and those around it, from the innermost to the root. */
export function* foldersAround(folder: string): Generator<string, void> {
  for (let at = folder; ; at = folderOf(at)) {
    yield at;
    if (at === '') return;
  }
}

/** Joins a folder and a path relative to it; the root is empty. */
export function joinPath(folder: string, path: string): string {
  const joined = posix.join(folder, path);
  return joined === '.' ? '' : joined;
}

/** Returns the path that ends with `suffix`; of several, the one that shares the most folders with the importer. */
export function bySuffix(table: FileTable, from: ImportingFile, suffix: string): readonly string[] {
  const paths = table.endingWith(joinPath('', suffix).replace(/^(?:\.\.\/)+/, ''));
  const others = from.path.split('/');
  const shared = (path: string): number => {
    const segments = path.split('/');
    const end = segments.findIndex((segment, index) => segment !== others[index]);
    return end < 0 ? segments.length : end;
  };
  const ranked = paths
    .map((path) => ({ path, shared: shared(path) }))
    .toSorted((a, b) => b.shared - a.shared);
  const [best, next] = ranked;
  return best === undefined || best.shared === next?.shared ? [] : [best.path];
}

/** Returns the folder that many levels above another. */
export function ancestor(folder: string, levels: number): string {
  let at = folder;
  for (let level = 0; level < levels; level++) at = folderOf(at);
  return at;
}

/** Returns the folder of a path; empty for the root. */
export function folderOf(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf('/'), 0));
}

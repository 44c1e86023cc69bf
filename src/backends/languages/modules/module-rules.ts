import type { Ecosystem } from '../manifests/manifest.ts';
import type { ImportedName, ParsedFile } from '../outline.ts';
import type { ModuleRoots } from './module-roots.ts';

/** A file with what it imports. */
export type ImportingFile = Pick<ParsedFile, 'path' | 'package' | 'imports'>;

/** An import with the files of the repository that it names; none if it comes from elsewhere. */
export interface ResolvedImport {
  readonly imported: ImportedName;
  readonly paths: readonly string[];
}

/** The files of a repository, as the rules of a language see them. */
export interface SourceTree {
  /** The names of modules that manifests give to places of the repository. */
  readonly roots: ModuleRoots;
  has(path: string): boolean;
  get(path: string): ImportingFile | undefined;
  /** Returns the paths that end with whole segments: `b/c.py` ends `a/b/c.py`. */
  endingWith(suffix: string): readonly string[];
  /** Returns the files directly in a folder. */
  inFolder(folder: string): readonly string[];
  /** Returns the files of a family of languages that declare a package. */
  inPackage(family: string, name: string): readonly string[];
  /** Returns those of some files that define a name. */
  defining(paths: readonly string[], name: string): readonly string[];
  /** Returns what `find` returned for the key before, if the repository did not change since. */
  kept(key: string, find: () => readonly string[]): readonly string[];
}

/** A package of the repository. */
export interface Provided {
  readonly ecosystem: Ecosystem;
  readonly name: string;
  readonly folder: string;
  readonly entries: ReadonlyMap<string, readonly string[]>;
}

/** The modules through which the definitions of a file are imported. */
export interface Modules {
  /** The module that the file itself is. */
  readonly own: string | undefined;
  /** Other modules, which may pass its names on, by the files that they are. */
  readonly through: readonly PassingModule[];
}

export interface PassingModule {
  readonly module: string;
  /** Groups of files: one is asked for a name if those before it do not know it. */
  readonly files: readonly (readonly string[])[];
}

/** The way from the imports of a language to packages of an ecosystem. */
export interface PackageRule {
  readonly ecosystem: Ecosystem;
  /** Returns the form of the name of a package that imports are compared with. Default: the name. */
  readonly keyOf?: (name: string) => string;
  /** Returns the form of the name of a package that its spellings share: some registries ignore case or punctuation. */
  readonly idOf?: (name: string) => string;
  /** Returns the keys of the packages that a module may belong to, the most specific first; none for a local one. */
  readonly keysOfModule: (module: string) => readonly string[];
}

/** The rules by which imports and packages lead to files, for the languages of a family. */
export interface ModuleRules {
  /**
   * Returns the files of the repository that an import names: one, those of a package, or one for each module that
   * claims the name. Empty if it comes from elsewhere.
   */
  readonly filesOf: (tree: SourceTree, from: ImportingFile, imported: ImportedName) => readonly string[];
  /** Returns the imports that hold in a file without standing there. Default: none. */
  readonly sharedImports?: (tree: SourceTree, path: string) => readonly ResolvedImport[];
  readonly packages?: PackageRule;
  /** Returns the modules of a package with the files that they pass on. Default: none. */
  readonly entriesOf?: (provided: Provided, tree: SourceTree) => readonly PassingModule[];
  /** Returns the modules of a file of a package, besides the entries. Default: nothing imports it. */
  readonly modulesOf?: (provided: Provided, file: ImportingFile, tree: SourceTree) => Modules;
}

/** Modules of a file that nothing imports. */
export const noModules: Modules = { own: undefined, through: [] };

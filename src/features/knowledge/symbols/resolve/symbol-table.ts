import { type SymbolKind, symbolKinds } from '../../../../backends/codesearch/port.ts';
import type { ImportedName, Language, SourceTree } from '../../../../backends/languages/port.ts';
import { folderOf, languages, ModuleRoots, parentOf } from '../../../../backends/languages/port.ts';
import { lowerBound } from '../../../../foundation/kernel/lower-bound.ts';
import { compareText } from '../../../../foundation/kernel/text/compare-text.ts';
import { LoadedFiles } from './loaded-files.ts';
import { NameIndex } from './name-index.ts';
import type { TableFile, Target } from './table-file.ts';

/** The data of a file that a table keeps in memory. */
interface FileHeader {
  readonly number: number;
  readonly path: string;
  readonly language: string;
  readonly package: string | undefined;
  /** True if an import may pass a name on. */
  readonly reExports: boolean;
}

/** The numbers of files. */
export type FileNumbers = ReadonlySet<number>;

/** Maximum number of files that are kept for the names that they define, and what a name counts besides. */
const maxKept = 200_000;
const perName = 10;
/** Maximum number of modules whose files are kept. */
const maxModules = 20_000;
const kindBits = 4;
const kindNumbers = new Map(symbolKinds.map((kind, index) => [kind, index]));

/**
 * The files and definitions of one repository, for the resolution of names. Files are replaced one at a time, so that a
 * push costs what it changed. Keeps numbers for the definitions, and reads the files themselves when they are needed,
 * because those of a large repository do not fit into memory.
 */
export class SymbolTable implements SourceTree {
  #roots = new ModuleRoots();
  readonly #loaded: LoadedFiles;
  readonly #headers = new Map<string, FileHeader>();
  readonly #byNumber: (FileHeader | undefined)[] = [];
  /** Definitions by family and name, and members by family, qualified name and where such members are looked for. */
  readonly #names = new NameIndex();
  /** Paths, in order, by what files are looked up by. */
  readonly #paths = new Map<string, string[]>();
  /** The files that define the names that were asked for last, because collecting those of a common name takes long. */
  readonly #defining = new Map<string, FileNumbers>();
  /** Number of files in `#defining`, and `perName` for each of its names. */
  #kept = 0;
  /** The files of modules, by keys of the rules. */
  readonly #modules = new Map<string, readonly string[]>();
  /** The files that imports of loaded files name. */
  #imported = new WeakMap<ImportedName, readonly string[]>();

  /** `read`: reads a file that was added and not deleted since. */
  constructor(read: (path: string) => TableFile) {
    this.#loaded = new LoadedFiles(read);
  }

  get roots(): ModuleRoots {
    return this.#roots;
  }

  set roots(roots: ModuleRoots) {
    this.#roots = roots;
    this.#forget();
  }

  /** Adds a file that the table does not have. */
  add(file: TableFile): void {
    const { path, language, package: declared, imports } = file;
    const header: FileHeader = {
      number: this.#byNumber.length,
      path,
      language,
      package: declared,
      reExports: passesImportsOn(languages.get(language)) && imports.some(({ name }) => name !== undefined),
    };
    this.#forget();
    this.#byNumber.push(header);
    this.#headers.set(path, header);
    for (const [name, value] of indexedNames(header, file)) this.#names.add(name, value);
    for (const key of pathKeys(header)) addTo(this.#paths, key, path);
  }

  /** Removes a file, which can still be read. */
  delete(path: string): void {
    const header = this.#headers.get(path);
    if (header === undefined) return;
    this.#forget();
    const { file } = this.#loaded.get(path);
    for (const [name, value] of indexedNames(header, file)) this.#names.remove(name, value);
    for (const key of pathKeys(header)) removeFrom(this.#paths, key, path);
    this.#headers.delete(path);
    this.#byNumber[header.number] = undefined;
    this.#loaded.forget(path);
  }

  has(path: string): boolean {
    return this.#headers.has(path);
  }

  get(path: string): TableFile | undefined {
    return this.#headers.has(path) ? this.#loaded.get(path).file : undefined;
  }

  /** Returns the file at a path if it may pass on names that it imports. */
  reExporting(path: string): TableFile | undefined {
    return this.#headers.get(path)?.reExports === true ? this.get(path) : undefined;
  }

  /** Returns the files that an import of a file names. */
  filesOf(file: TableFile, imported: ImportedName): readonly string[] {
    const known = this.#imported.get(imported);
    if (known !== undefined) return known;
    const found = languages.get(file.language)?.modules?.filesOf(this, file, imported) ?? [];
    this.#imported.set(imported, found);
    return found;
  }

  kept(key: string, find: () => readonly string[]): readonly string[] {
    const known = this.#modules.get(key);
    if (known !== undefined) return known;
    const found = find();
    if (this.#modules.size >= maxModules) this.#modules.clear();
    this.#modules.set(key, found);
    return found;
  }

  /** Counts the definitions with a name in the languages of a family. */
  count(family: string, name: string): number {
    return this.#names.count(nameKey(family, name));
  }

  /**
   * Returns the definitions of accepted kinds with a name in the languages of a family; `undefined` if they are in more
   * than `maxFiles` files.
   */
  named(
    family: string,
    name: string,
    { accepts, maxFiles }: { readonly accepts: (kind: SymbolKind) => boolean; readonly maxFiles: number },
  ): readonly Target[] | undefined {
    const values = this.#names.get(nameKey(family, name));
    const accepted = values.filter((value) => accepts(symbolKinds[value % 2 ** kindBits] ?? 'other'));
    const paths = this.#pathsOf(filesOf(accepted));
    if (paths.length > maxFiles) return undefined;
    return this.inFiles(paths, name).filter(({ symbol }) => accepts(symbol.kind));
  }

  /** Returns the only member with a qualified name in the files around a path; `undefined` if there are several. */
  onlyMember(language: string, path: string, qualifiedName: string): Target | undefined {
    const values = this.#names.get(memberKey(language, path, qualifiedName));
    if (values.length !== 1) return undefined;
    const found = this.inFiles(this.#pathsOf(filesOf(values)), lastName(qualifiedName));
    return found.find(({ symbol }) => symbol.qualifiedName === qualifiedName);
  }

  /** Returns whether several definitions in the files around a path have a qualified name. */
  hasSeveral(language: string, path: string, qualifiedName: string): boolean {
    return this.#names.count(memberKey(language, path, qualifiedName)) > 1;
  }

  /** Returns the files with a type that inherits from a name; `undefined` if there are more than `maxFiles`. */
  inheriting(family: string, name: string, maxFiles: number): readonly string[] | undefined {
    const key = heirKey(family, name);
    return this.#names.count(key) > maxFiles ? undefined : this.#pathsOf(filesOf(this.#names.get(key)));
  }

  /** Begins to count what is read to resolve another file. */
  begin(): void {
    this.#loaded.begin();
  }

  /** Returns the definitions with a name in some files; none once too much was read for the present file. */
  inFiles(paths: readonly string[], name: string): readonly Target[] {
    return this.defining(paths, name).flatMap((path) =>
      this.#loaded.isSpent ? [] : (this.#loaded.get(path).byName.get(name) ?? []),
    );
  }

  /** Returns those of some files that define a name, without reading them. */
  defining(paths: readonly string[], name: string): readonly string[] {
    return paths.filter((path) => {
      const header = this.#headers.get(path);
      if (header === undefined) return false;
      return this.#numbersDefining(nameKey(familyOf(header.language), name)).has(header.number);
    });
  }

  /** Returns the numbers of some files. */
  numbersOf(paths: readonly string[]): FileNumbers {
    return new Set(paths.flatMap((path) => this.#headers.get(path)?.number ?? []));
  }

  /** Returns whether one of some files in the languages of a family defines a name. */
  definesAny(files: FileNumbers, family: string, name: string): boolean {
    return this.#definingAmong(files, family, name).next().done !== true;
  }

  /** Returns those of some files in the languages of a family that define a name, without reading them. */
  definingIn(files: FileNumbers, family: string, name: string): readonly string[] {
    return this.#pathsOf(new Set(this.#definingAmong(files, family, name)));
  }

  /** Yields the numbers of those of some files that define a name. */
  *#definingAmong(files: FileNumbers, family: string, name: string): Generator<number> {
    const defining = this.#numbersDefining(nameKey(family, name));
    const [fewer, more] = defining.size < files.size ? [defining, files] : [files, defining];
    for (const number of fewer) if (more.has(number)) yield number;
  }

  /**
   * Returns the definition with a qualified name in a file. Of several, such as overloads, or a method beside a private
   * field, the first one that is not a field.
   */
  qualified(path: string, qualifiedName: string): Target | undefined {
    const named = this.inFiles([path], lastName(qualifiedName)).filter(
      ({ symbol }) => symbol.qualifiedName === qualifiedName,
    );
    return named.find(({ symbol }) => symbol.kind !== 'field') ?? named[0];
  }

  /** Returns the definition around another one. */
  around({ path, symbol }: Target): Target | undefined {
    return this.qualified(path, parentOf(symbol.qualifiedName));
  }

  /** Returns the paths that end with whole segments: `b/c.py` ends `a/b/c.py`. */
  endingWith(suffix: string): readonly string[] {
    const candidates = this.#paths.get(endKey(suffix)) ?? [];
    return candidates.filter((path) => path === suffix || path.endsWith(`/${suffix}`));
  }

  /** Returns the files directly in a folder. */
  inFolder(folder: string): readonly string[] {
    return this.#paths.get(`folder ${folder}`) ?? [];
  }

  /** Returns the files that declare a package. */
  inPackage(family: string, name: string): readonly string[] {
    return this.#paths.get(`package ${family} ${name}`) ?? [];
  }

  /** Returns the files of a package that share their names with a file, which need not import them. */
  sharingNames({ path, language }: TableFile, declared: string | undefined): readonly string[] {
    const family = familyOf(language);
    if (languages.get(language)?.packagesAreFolders !== true)
      return declared === undefined ? [] : this.inPackage(family, declared);
    return this.inFolder(folderOf(path)).filter((each) => {
      const other = this.#headers.get(each);
      return other?.language === language && other.package === declared;
    });
  }

  /** Returns the numbers of the files that define a name. */
  #numbersDefining(key: string): FileNumbers {
    const known = this.#defining.get(key);
    if (known !== undefined) return known;
    const numbers = filesOf(this.#names.get(key));
    if (this.#kept > maxKept) this.#forgetDefining();
    this.#defining.set(key, numbers);
    this.#kept += numbers.size + perName;
    return numbers;
  }

  /** Forgets what depends on other files. */
  #forget(): void {
    this.#forgetDefining();
    if (this.#modules.size > 0) this.#modules.clear();
    this.#imported = new WeakMap();
  }

  #forgetDefining(): void {
    if (this.#kept > 0) this.#defining.clear();
    this.#kept = 0;
  }

  #pathsOf(numbers: FileNumbers): readonly string[] {
    return [...numbers].flatMap((number) => this.#byNumber[number]?.path ?? []).toSorted(compareText);
  }
}

/** Returns whether a file passes names that it imports on to those that import it. */
export function passesImportsOn(language: Language | undefined): boolean {
  return language?.outerNames !== 'package';
}

export function familyOf(language: string): string {
  return languages.get(language)?.family ?? '';
}

/** Returns the key of the last two names of a path; of one name alone if it has no other. */
function endKey(path: string): string {
  const start = path.lastIndexOf('/', path.lastIndexOf('/') - 1);
  return `end ${path.slice(start + 1)}`;
}

function lastName(qualifiedName: string): string {
  return qualifiedName.slice(qualifiedName.lastIndexOf('.') + 1);
}

/** Returns the numbers of the files of some definitions. */
function filesOf(values: readonly number[]): FileNumbers {
  return new Set(values.map((value) => Math.floor(value / 2 ** kindBits)));
}

function nameKey(family: string, name: string): string {
  return `${family} ${name}`;
}

/** The members of one type may be in several files: of its folder, or of the repository (C++). */
function memberKey(language: string, path: string, qualifiedName: string): string {
  const { family = '', outerNames } = languages.get(language) ?? {};
  return `${family} ${outerNames === 'repository' ? '' : folderOf(path)} ${qualifiedName}`;
}

/** Yields the keys of the definitions of a file and of the names that its types inherit from, with their values. */
function* indexedNames(
  { number, language, path }: FileHeader,
  { symbols, references }: TableFile,
): Generator<readonly [key: string, value: number], void> {
  const family = familyOf(language);
  const first = number * 2 ** kindBits;
  for (const { name, qualifiedName, kind } of symbols) {
    // A definition as a number: that of its file, and its kind.
    const value = first + (kindNumbers.get(kind) ?? 0);
    yield [nameKey(family, name), value];
    if (qualifiedName.includes('.')) yield [memberKey(language, path, qualifiedName), value];
  }
  const bases = references.flatMap(({ kind, name }) => (kind === 'inherits' ? [name] : []));
  for (const name of new Set(bases)) yield [heirKey(family, name), first];
}

/** Returns the key of the files with a type that inherits from a name. */
function heirKey(family: string, name: string): string {
  return nameKey(`heirs ${family}`, name);
}

function pathKeys({ path, language, package: declared }: FileHeader): string[] {
  const keys = [
    ...new Set([`end ${path.slice(path.lastIndexOf('/') + 1)}`, endKey(path)]),
    `folder ${folderOf(path)}`,
  ];
  return declared === undefined ? keys : [...keys, `package ${familyOf(language)} ${declared}`];
}

/** Adds to a list in order, so that what is found does not depend on the order of changes. */
function addTo(map: Map<string, string[]>, key: string, path: string): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, [path]);
  else known.splice(placeIn(known, path), 0, path);
}

function removeFrom(map: Map<string, string[]>, key: string, path: string): void {
  const known = map.get(key);
  const place = known === undefined ? 0 : placeIn(known, path);
  if (known?.[place] !== path) return;
  if (known.length === 1) map.delete(key);
  else known.splice(place, 1);
}

/** Returns the position of the first path that does not come before `path`. */
function placeIn(paths: readonly string[], path: string): number {
  return lowerBound(paths.length, (index) => compareText(paths[index]!, path) >= 0);
}

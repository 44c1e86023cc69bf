import { languages } from '../symbols/languages/languages.ts';
import type { FileSymbol, ParsedFile } from '../symbols/parsed-file.ts';
import { FileNames } from '../symbols/resolve/file-names.ts';
import { familyOf, type SymbolTable } from '../symbols/resolve/symbol-table.ts';
import type { Target } from '../symbols/resolve/table-file.ts';
import { importRuleOf } from './ecosystems.ts';
import type { Ecosystem } from './manifests/manifest.ts';
import { entriesOf, type Modules, modulesOf, type PassingModule } from './modules.ts';
import type { Provided, RepositoryPackages } from './repository-packages.ts';

/** A definition with a name by which other repositories import it, such as `@acme/client.Client.send`. */
export interface ExportedName {
  readonly ecosystem: Ecosystem;
  readonly name: string;
  readonly target: Target;
}

const notPublic =
  /(?:^|\/)(?:tests?|__tests__|specs?|examples?|benches|benchmarks?|internal|docs)\/|[._](?:test|spec)\.\w+$/;

/** Finds the names by which other repositories import definitions of this one, as its files are now. */
export class PackageExports {
  readonly packages: RepositoryPackages;
  readonly #table: SymbolTable;
  readonly #entries = new Map<Provided, readonly PassingModule[]>();

  constructor(packages: RepositoryPackages, table: SymbolTable) {
    this.packages = packages;
    this.#table = table;
  }

  /** Returns the names by which other repositories can import the definitions of a file. */
  of(file: ParsedFile): readonly ExportedName[] {
    const family = familyOf(file.language);
    const language = languages.get(file.language);
    const ecosystem = importRuleOf(family)?.ecosystem;
    const provided = ecosystem && this.packages.around(file.path, ecosystem);
    if (ecosystem === undefined || provided === undefined || language === undefined) return [];
    const { folder } = provided;
    if (notPublic.test(folder === '' ? file.path : file.path.slice(folder.length + 1))) return [];
    const { own, through } = this.#modulesOf(family, provided, file);
    if (own === undefined && through.length === 0) return [];
    const names = new FileNames(this.#table, language, file);
    const renamed = renamedIn(names, own, through).map((each) => ({ ecosystem, ...each }));
    const passing = new Map<string, readonly string[]>();
    const defined = publicSymbols(file).flatMap((symbol) => {
      const [first = ''] = symbol.qualifiedName.split('.', 1);
      const others = passing.get(first) ?? modulesPassing(names, through, first);
      passing.set(first, others);
      const modules = new Set(own === undefined ? others : [own, ...others]);
      const target = { path: file.path, symbol };
      return [...modules].map((module) => ({ ecosystem, name: `${module}.${symbol.qualifiedName}`, target }));
    });
    return [...renamed, ...defined];
  }

  /** Returns whether a file decides under which names others are imported in ways that names do not tell. */
  isEntry(path: string): boolean {
    const provided = this.packages.around(path, 'npm');
    return provided !== undefined && this.#entriesOf(provided).some(([, files]) => files.includes(path));
  }

  #modulesOf(family: string, provided: Provided, file: ParsedFile): Modules {
    if (family === 'ecmascript') return { own: undefined, through: this.#entriesOf(provided) };
    return modulesOf[family]?.(provided, file, this.#table) ?? { own: undefined, through: [] };
  }

  #entriesOf(provided: Provided): readonly PassingModule[] {
    const known = this.#entries.get(provided) ?? entriesOf(provided, this.#table);
    this.#entries.set(provided, known);
    return known;
  }
}

/** Returns the modules that pass on a name of the file. */
function modulesPassing(
  names: FileNames,
  through: readonly PassingModule[],
  name: string,
): readonly string[] {
  return through.flatMap(([module, files]) => {
    const targets = names.exported(files, name, 'value');
    const isOwn = targets.some(
      ({ path, symbol }) => path === names.file.path && symbol.qualifiedName === name,
    );
    return isOwn ? [module] : [];
  });
}

/** Returns what a module passes on under another name; its members are left out. */
function renamedIn(
  names: FileNames,
  own: string | undefined,
  through: readonly PassingModule[],
): readonly Omit<ExportedName, 'ecosystem'>[] {
  const { path, imports } = names.file;
  const modules = through.flatMap(([module, files]) => (files.includes(path) ? [module] : []));
  if (own !== undefined) modules.push(own);
  if (modules.length === 0) return [];
  return imports.flatMap(({ name, local }) => {
    if (name === undefined || local === undefined || name === local) return [];
    const [target, ...others] = names.exported([path], local, 'value');
    if (target === undefined || others.length > 0) return [];
    return modules.map((module) => ({ name: `${module}.${local}`, target }));
  });
}

/** Returns the definitions at the top of a file, and the members of its types, without private ones. */
function publicSymbols({ symbols, language }: ParsedFile): readonly FileSymbol[] {
  const functions = new Set(
    symbols.filter(({ kind }) => kind === 'function' || kind === 'method').map((each) => each.qualifiedName),
  );
  return symbols.filter(({ kind, qualifiedName }) => {
    if (kind === 'field') return false;
    const parts = qualifiedName.split('.');
    const isPublic = familyOf(language) === 'go' ? /^\p{Lu}/u : /^[^_#]/;
    if (!parts.every((part) => isPublic.test(part))) return false;
    return !parts.slice(1).some((_, index) => functions.has(parts.slice(0, index + 1).join('.')));
  });
}

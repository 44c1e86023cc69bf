import {
  type Ecosystem,
  type FileSymbol,
  languageOf,
  languages,
  type Modules,
  noModules,
  type ParsedFile,
  type PassingModule,
  type Provided,
} from '../../../backends/languages/port.ts';
import { FileNames } from '../symbols/resolve/file-names.ts';
import type { SymbolTable } from '../symbols/resolve/symbol-table.ts';
import type { Target } from '../symbols/resolve/table-file.ts';
import type { RepositoryPackages } from './repository-packages.ts';

/** A definition with a name by which other repositories import it, such as `@acme/client.Client.send`. */
interface ExportedName {
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

  /** Yields the names by which other repositories can import the definitions of a file. */
  *of(file: ParsedFile): Generator<ExportedName, void> {
    const language = languages.get(file.language);
    const provided = this.#packageAround(file.path, file.language);
    if (provided === undefined || language === undefined) return;
    const { ecosystem, folder } = provided;
    if (notPublic.test(folder === '' ? file.path : file.path.slice(folder.length + 1))) return;
    const { own, through } = language.modules?.modulesOf?.(provided, file, this.#table) ?? noModules;
    const modules = { own, through: [...this.#entriesOf(provided, file.language), ...through] };
    if (modules.own === undefined && modules.through.length === 0) return;
    const names = new FileNames(this.#table, language, file);
    const symbols = publicSymbols(file);
    for (const each of renamedIn(names, symbols, modules)) yield { ecosystem, ...each };
    for (const each of definedIn(names, symbols, modules)) yield { ecosystem, ...each };
  }

  /** Returns whether a file decides under which names others are imported in ways that names do not tell. */
  isEntry(path: string): boolean {
    const language = languageOf(path);
    const provided = this.#packageAround(path, language);
    return (
      provided !== undefined &&
      this.#entriesOf(provided, language).some(({ files }) => files.some((group) => group.includes(path)))
    );
  }

  #packageAround(path: string, language: string): Provided | undefined {
    const ecosystem = languages.get(language)?.modules?.packages?.ecosystem;
    return ecosystem && this.packages.around(path, ecosystem);
  }

  #entriesOf(provided: Provided, language: string): readonly PassingModule[] {
    const known = this.#entries.get(provided);
    if (known !== undefined) return known;
    const found = languages.get(language)?.modules?.entriesOf?.(provided, this.#table) ?? [];
    this.#entries.set(provided, found);
    return found;
  }
}

type NamedTarget = Omit<ExportedName, 'ecosystem'>;

/** Yields what a file defines, under the modules that it is and those that pass it on. */
function* definedIn(
  names: FileNames,
  symbols: readonly FileSymbol[],
  { own, through }: Modules,
): Generator<NamedTarget, void> {
  const { path } = names.file;
  const modulesPassing = (name: string): readonly string[] =>
    through.flatMap(({ module, files }) => {
      let targets: readonly Target[] = [];
      for (const group of files) if (targets.length === 0) targets = names.exported(group, name, 'value');
      const isOwn = targets.some((each) => each.path === path && each.symbol.qualifiedName === name);
      return isOwn ? [module] : [];
    });
  const passing = new Map<string, readonly string[]>();
  for (const symbol of symbols) {
    const [first = ''] = symbol.qualifiedName.split('.', 1);
    const others = passing.get(first) ?? modulesPassing(first);
    passing.set(first, others);
    for (const module of new Set(own === undefined ? others : [own, ...others]))
      yield { name: `${module}.${symbol.qualifiedName}`, target: { path, symbol } };
  }
}

/** Yields what a module passes on under another name, with the members of what the file itself defines. */
function* renamedIn(
  names: FileNames,
  symbols: readonly FileSymbol[],
  { own, through }: Modules,
): Generator<NamedTarget, void> {
  const { path, imports } = names.file;
  const modules = through.flatMap(({ module, files }) => (files[0]?.includes(path) === true ? [module] : []));
  if (own !== undefined) modules.push(own);
  if (modules.length === 0) return;
  for (const { name, local } of imports) {
    if (name === undefined || local === undefined || name === local) continue;
    const [target, ...others] = names.exported([path], local, 'value');
    if (target === undefined || others.length > 0) continue;
    const { qualifiedName } = target.symbol;
    for (const module of modules) {
      yield { name: `${module}.${local}`, target };
      for (const symbol of target.path === path ? symbols : [])
        if (symbol.qualifiedName.startsWith(`${qualifiedName}.`))
          yield {
            name: `${module}.${local}${symbol.qualifiedName.slice(qualifiedName.length)}`,
            target: { path, symbol },
          };
    }
  }
}

/** Returns the definitions at the top of a file, and the members of its types, without private ones. */
function publicSymbols({ symbols, language }: ParsedFile): readonly FileSymbol[] {
  const functions = new Set(
    symbols.filter(({ kind }) => kind === 'function' || kind === 'method').map((each) => each.qualifiedName),
  );
  return symbols.filter(({ kind, qualifiedName }) => {
    if (kind === 'field') return false;
    const parts = qualifiedName.split('.');
    const isPublic = languages.get(language)?.publicName ?? /^[^_#]/;
    if (!parts.every((part) => isPublic.test(part))) return false;
    return !parts.slice(1).some((_, index) => functions.has(parts.slice(0, index + 1).join('.')));
  });
}

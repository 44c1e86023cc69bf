import type {
  FileSymbol,
  Language,
  ResolvedImport,
  Use,
  UseKind,
} from '../../../../backends/languages/port.ts';
import { folderOf, languages, parentOf } from '../../../../backends/languages/port.ts';
import { distinctTargets, fitsKind, isMember } from './found.ts';
import { type FileNumbers, passesImportsOn, type SymbolTable } from './symbol-table.ts';
import type { TableFile, Target } from './table-file.ts';

/** Maximum number of files that a re-exported name is followed through. */
const maxReExports = 5;
/** Maximum number of imports that are followed for the names of one file. */
const maxFollowed = 100_000;

/** The state that resolving the names of one file shares with the files that it asks. */
interface SharedNames {
  readonly files: Map<string, FileNames>;
  /** The names that files pass on, by the paths of the files. */
  readonly passedOn: Map<string, PassedOn>;
  /** Number of imports that were followed. */
  followed: number;
}

/** The names of other files that a file passes on. */
interface PassedOn {
  /** The files of each import of all names. */
  readonly all: readonly (readonly string[])[];
  /** The names that imports bind. */
  readonly named: ReadonlySet<string>;
}

const nothing: PassedOn = { all: [], named: new Set() };

/** A name that some files export. */
interface ExportedName {
  readonly paths: readonly string[];
  readonly name: string;
}

/** The files and names that a file can reach by its imports of all names. */
interface Reach {
  readonly files: FileNumbers;
  /** The names that these files pass on by an import of that name. */
  readonly passedOn: ReadonlySet<string>;
  /** False if they are too many to tell all. */
  readonly isWhole: boolean;
}

/** The names of one file: what it defines, imports and shares with its package. */
export class FileNames {
  readonly table: SymbolTable;
  readonly language: Language;
  readonly file: TableFile;
  readonly imports: readonly ResolvedImport[];
  /** The imports of the file, and those of other files that hold in it. */
  readonly #allImports: readonly ResolvedImport[];
  readonly #bindings: ReadonlyMap<string | undefined, readonly ResolvedImport[]>;
  /** The files of which all names are imported. */
  readonly #wildcards: readonly string[];
  #reach: Reach | undefined;
  readonly #byWildcards = new Map<string, readonly Target[]>();
  readonly #imported: ReadonlySet<string>;
  #packageFiles: readonly FileNumbers[] | undefined;
  #bases: ReadonlyMap<string, readonly Use[]> | undefined;
  readonly #shared: SharedNames;

  constructor(
    table: SymbolTable,
    language: Language,
    file: TableFile,
    shared: SharedNames = { files: new Map(), passedOn: new Map(), followed: 0 },
  ) {
    this.table = table;
    this.language = language;
    this.file = file;
    this.#shared = shared;
    const imports = file.imports.map((imported) => ({
      imported,
      paths: table.filesOf(file, imported).filter((path) => path !== file.path),
    }));
    this.imports = imports;
    const all = [...imports, ...(language.modules?.sharedImports?.(table, file.path) ?? [])];
    this.#allImports = all;
    this.#bindings = Map.groupBy(all, ({ imported }) => imported.local);
    this.#wildcards =
      language.wildcardsBind === false
        ? []
        : [...new Set(all.flatMap(({ imported, paths }) => (imported.name === '*' ? paths : [])))];
    this.#imported = new Set(all.flatMap(({ paths }) => paths));
  }

  /** Returns the names of another file. */
  of(path: string): FileNames | undefined {
    if (path === this.file.path) return this;
    const known = this.#shared.files.get(path);
    if (known !== undefined) return known;
    const file = this.table.get(path);
    const language = file && languages.get(file.language);
    if (file === undefined || language === undefined) return undefined;
    const opened = new FileNames(this.table, language, file, this.#shared);
    this.#shared.files.set(path, opened);
    return opened;
  }

  /** Returns the imports that bind a name. */
  bindings(local: string): readonly ResolvedImport[] {
    return this.#bindings.get(local) ?? [];
  }

  /** Returns the files of the imports that bind a name. */
  boundFiles(local: string): readonly string[] {
    return this.bindings(local).flatMap(({ paths }) => paths);
  }

  /** Returns the qualified name of the definition around a use; empty outside of all. */
  around(use: Use): string {
    return use.from === undefined ? '' : (this.file.symbols[use.from]?.qualifiedName ?? '');
  }

  /** Returns the visible definition with a name in this file: the innermost one. */
  own(use: Use): Target | undefined {
    const around = this.around(use);
    const visible = this.table.inFiles([this.file.path], use.name).filter((target) => {
      if (!fitsKind(use.kind, target.symbol.kind)) return false;
      const parent = parentOf(target.symbol.qualifiedName);
      if (isMember(target) && !this.language.implicitSelf) return false;
      return parent === '' || around === parent || around.startsWith(`${parent}.`);
    });
    return visible.toSorted((a, b) => b.symbol.qualifiedName.length - a.symbol.qualifiedName.length)[0];
  }

  /** Returns what a name that some files export means. Files that pass it on may do so in a circle. */
  exported(paths: readonly string[], name: string, kind: UseKind): readonly Target[] {
    const found: Target[] = [];
    const seen = new Map<string, Set<string>>();
    let wave: readonly ExportedName[] = [{ paths, name }];
    for (let depth = 0; depth <= maxReExports && wave.length > 0; depth++) {
      const next: ExportedName[] = [];
      for (const each of wave) {
        const direct = this.#defined(each, kind);
        if (direct.length > 0) found.push(...direct);
        else if (depth < maxReExports) next.push(...this.#reExported(each, seen));
      }
      wave = next;
    }
    return shortest(distinctTargets(found));
  }

  #defined({ paths, name }: ExportedName, kind: UseKind): readonly Target[] {
    const named = this.table.inFiles(paths, name).filter((target) => fitsKind(kind, target.symbol.kind));
    const top = named.filter((target) => !isMember(target));
    return top.length > 0 || !importsMembers(this.language) ? top : named;
  }

  /**
   * Returns where a name comes from that some files pass on, unless that was already asked: `seen` has paths by name.
   */
  #reExported({ paths, name }: ExportedName, seen: Map<string, Set<string>>): readonly ExportedName[] {
    const asked = seen.get(name) ?? new Set();
    seen.set(name, asked);
    const found: ExportedName[] = [];
    for (const path of paths) {
      if (this.#shared.followed >= maxFollowed) return found;
      if (asked.has(path)) continue;
      asked.add(path);
      const { all, named } = this.#passedOnBy(path);
      const own = named.has(name)
        ? this.#reExportedBy(path, name)
        : all.map((each) => ({ paths: each, name }));
      for (const each of own) {
        if (this.#shared.followed >= maxFollowed) break;
        this.#shared.followed += 1;
        if (each.paths.length > 0) found.push(each);
      }
    }
    return found;
  }

  /** Returns where a name comes from that a file passes on: by its imports of that name and of all names. */
  #reExportedBy(path: string, name: string): readonly ExportedName[] {
    const file = this.table.reExporting(path);
    return (file?.imports ?? []).flatMap((imported) => {
      const isNamed = imported.local === name && imported.name !== undefined;
      if (!isNamed && imported.name !== '*') return [];
      return [{ paths: this.table.filesOf(file!, imported), name: isNamed ? imported.name : name }];
    });
  }

  #passedOnBy(path: string): PassedOn {
    const known = this.#shared.passedOn.get(path);
    if (known !== undefined) return known;
    const file = this.table.reExporting(path);
    if (file === undefined) return nothing;
    const imports = file.imports.filter((imported) => imported.name !== undefined);
    const found = {
      all: imports.filter(({ name }) => name === '*').map((imported) => this.table.filesOf(file, imported)),
      named: new Set(imports.flatMap(({ local }) => local ?? [])),
    };
    this.#shared.passedOn.set(path, found);
    return found;
  }

  /** Returns what an import of all names of some files may mean by a name. */
  fromWildcards(name: string, kind: UseKind): readonly Target[] {
    const key = `${kind} ${name}`;
    const known = this.#byWildcards.get(key);
    if (known !== undefined) return known;
    const found = this.exported(this.#wildcardsWith(name), name, kind).filter((target) =>
      this.#isPassedOn(target),
    );
    this.#byWildcards.set(key, found);
    return found;
  }

  /** Returns the files of the imports of all names that may define a name or pass it on; none for most names. */
  #wildcardsWith(name: string): readonly string[] {
    const { files, passedOn, isWhole } = (this.#reach ??= this.#readReach());
    const { family } = this.language;
    if (!passesImportsOn(this.language)) return this.table.definingIn(files, family, name);
    const isOutOfReach = isWhole && !passedOn.has(name) && !this.table.definesAny(files, family, name);
    return isOutOfReach ? [] : this.#wildcards;
  }

  /** Follows the imports of all names as `exported` does. */
  #readReach(): Reach {
    const reached = new Set(this.#wildcards);
    const passedOn = new Set<string>();
    let steps = 0;
    let wave: ReadonlySet<string> = reached;
    for (let depth = 0; depth < maxReExports; depth++) {
      const next = new Set<string>();
      for (const path of wave) {
        const { all, named } = steps > maxFollowed ? nothing : this.#passedOnBy(path);
        const files = all.flat();
        for (const name of named) passedOn.add(name);
        for (const each of files) next.add(each);
        steps += all.length + files.length;
      }
      wave = new Set([...next].filter((path) => !reached.has(path)));
      for (const each of wave) reached.add(each);
    }
    return { files: this.table.numbersOf([...reached]), passedOn, isWhole: steps <= maxFollowed };
  }

  /** Returns whether an import of all names has a definition: what is inside of a type only if it names that type. */
  #isPassedOn(target: Target): boolean {
    // An extension has a type that is not around it.
    const around = importsMembers(this.language) ? this.table.around(target) : undefined;
    if (around === undefined || around.symbol.kind === 'module') return true;
    const { name: type } = around.symbol;
    return this.#allImports.some(
      ({ imported: { name, source } }) => name === '*' && source.slice(source.lastIndexOf('.') + 1) === type,
    );
  }

  /**
   * Returns the files that share their names with this one without an import: of its package, then of those around it.
   */
  packageFiles(): readonly FileNumbers[] {
    this.#packageFiles ??= this.#packages().map((declared) =>
      this.table.numbersOf(this.table.sharingNames(this.file, declared)),
    );
    return this.#packageFiles;
  }

  #packages(): readonly (string | undefined)[] {
    const { package: declared } = this.file;
    if (declared === undefined || this.language.nestedPackages !== true) return [declared];
    const parts = declared.split('.');
    return parts.map((_, index) => parts.slice(0, parts.length - index).join('.'));
  }

  /** Returns what a type of this file inherits from. */
  bases(qualifiedName: string): readonly Use[] {
    const { references, symbols } = this.file;
    this.#bases ??= Map.groupBy(
      references.filter(({ kind, from }) => kind === 'inherits' && from !== undefined),
      ({ from = 0 }) => symbols[from]?.qualifiedName ?? '',
    );
    return this.#bases.get(qualifiedName) ?? [];
  }

  /** Returns the types of this file that inherit from a name. */
  heirs(name: string): readonly { readonly type: FileSymbol; readonly reference: Use }[] {
    return this.file.references.flatMap((reference) => {
      const type = reference.from === undefined ? undefined : this.file.symbols[reference.from];
      return reference.kind === 'inherits' && reference.name === name && type !== undefined
        ? [{ type, reference }]
        : [];
    });
  }

  /** Returns whether something in this file connects it with the file at a path. */
  isNear(path: string): boolean {
    return (
      path === this.file.path ||
      this.#imported.has(path) ||
      (folderOf(path) === folderOf(this.file.path) && this.language.outerNames !== 'nowhere')
    );
  }
}

/**
 * Returns whether an import can bind the members of a type. An `#include` or `require` makes no member callable alone.
 */
function importsMembers({ implicitSelf, outerNames }: Language): boolean {
  return implicitSelf && outerNames === 'package';
}

/** Keeps the targets that are enclosed least: the function of a module before one inside another function. */
function shortest(targets: readonly Target[]): readonly Target[] {
  const least = Math.min(...targets.map(depthOf));
  return targets.filter((target) => depthOf(target) === least);
}

function depthOf({ symbol }: Target): number {
  return symbol.qualifiedName.split('.').length;
}

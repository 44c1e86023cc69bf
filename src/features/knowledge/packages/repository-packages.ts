import {
  folderOf,
  foldersAround,
  type ModuleNames,
  type PathAlias,
} from '../../../backends/languages/port.ts';
import { importRuleOf, packageKey } from './ecosystems.ts';
import type { AskedPackage, Ecosystem, Manifest } from './manifests/manifest.ts';

/** Maximum number of manifests that one extends. */
const maxExtended = 10;

/** A package that a file imports, and the manifest that asks for it. */
export interface Asked extends AskedPackage {
  readonly ecosystem: Ecosystem;
  readonly manifest: string;
}

/** A package of the repository. */
export interface Provided {
  readonly ecosystem: Ecosystem;
  readonly name: string;
  readonly folder: string;
  readonly entries: ReadonlyMap<string, readonly string[]>;
}

/** The packages that the manifests of a repository provide and ask for. */
export class RepositoryPackages {
  /** Hash of the manifests. */
  readonly digest: string;
  readonly #manifests: ReadonlyMap<string, Manifest>;
  /** The packages by ecosystem and folder. */
  readonly #provided = new Map<string, Provided>();
  /** The packages that the manifests of a folder ask for, by ecosystem, folder and key. */
  readonly #asked = new Map<string, Asked[]>();
  /** The aliases that hold below a folder, once they were asked for. */
  readonly #aliases = new Map<string, readonly PathAlias[]>();
  /** The paths of the manifests with aliases by folder. */
  readonly #byFolder: ReadonlyMap<string, readonly string[]>;

  constructor(manifests: ReadonlyMap<string, Manifest> = new Map(), digest = '') {
    this.digest = digest;
    this.#manifests = manifests;
    const aliasing = [...manifests].filter(([, each]) => (each.aliases ?? each.extends) !== undefined);
    this.#byFolder = Map.groupBy(
      aliasing.map(([path]) => path),
      folderOf,
    );
    for (const [path, { ecosystem, provides, entries = new Map(), asks }] of manifests) {
      const folder = folderOf(path);
      const place = `${ecosystem} ${folder}`;
      if (provides !== undefined && !this.#provided.has(place))
        this.#provided.set(place, { ecosystem, name: provides, folder, entries });
      for (const asked of asks) {
        const key = `${place} ${packageKey(ecosystem, asked.importedAs ?? asked.name)}`;
        const each = { ...asked, ecosystem, manifest: path };
        const known = this.#asked.get(key);
        if (known === undefined) this.#asked.set(key, [each]);
        else known.push(each);
      }
    }
  }

  /** Returns what the manifest at a path says. */
  manifest(path: string): Manifest | undefined {
    return this.#manifests.get(path);
  }

  /** Returns the names by which imports of the same repository find files. */
  modules(): ModuleNames {
    return {
      go: this.#foldersOf('go'),
      npm: this.#foldersOf('npm'),
      aliasesIn: (folder) => this.#aliasesIn(folder),
    };
  }

  /** Returns the folders of the packages of an ecosystem by their names; of several with one name, none. */
  #foldersOf(ecosystem: Ecosystem): ReadonlyMap<string, string> {
    const provided = [...this.#provided.values()].filter((each) => each.ecosystem === ecosystem);
    const byName = Map.groupBy(provided, ({ name }) => name);
    return new Map([...byName].flatMap(([name, of]) => (of.length === 1 ? [[name, of[0]!.folder]] : [])));
  }

  /** Returns the other names for paths that the manifests of a folder declare, or else those that these extend. */
  #aliasesIn(folder: string): readonly PathAlias[] {
    const known = this.#aliases.get(folder);
    if (known !== undefined) return known;
    const found = (this.#byFolder.get(folder) ?? []).flatMap((path) => this.#aliasesOf(path));
    this.#aliases.set(folder, found);
    return found;
  }

  #aliasesOf(path: string): readonly PathAlias[] {
    const seen = new Set([path]);
    for (const each of seen) {
      const { aliases = [], extends: bases = [] } = this.#manifests.get(each) ?? {};
      if (aliases.length > 0) return aliases;
      for (const base of bases) if (seen.size < maxExtended) seen.add(base);
    }
    return [];
  }

  /** Returns the package that a file is part of: that of the nearest manifest around it. */
  around(path: string, ecosystem: Ecosystem): Provided | undefined {
    return firstAround(path, (folder) => this.#provided.get(`${ecosystem} ${folder}`));
  }

  /** Returns the package that an import of a file means; `undefined` if no manifest around the file asks for it. */
  importedBy(path: string, family: string, module: string): Asked | undefined {
    const rule = importRuleOf(family);
    if (rule === undefined || this.#asked.size === 0) return undefined;
    const keys = rule.keysOfModule(module);
    if (keys.length === 0) return undefined;
    return firstAround(path, (folder) => {
      for (const key of keys) {
        const asked = this.#asked.get(`${rule.ecosystem} ${folder} ${key}`);
        // Several artifacts of a group: the one whose last word is in the module.
        if (asked !== undefined)
          return asked.find(({ name }) => module.includes(name.split(/[:-]/).at(-1)!)) ?? asked[0];
      }
      return undefined;
    });
  }
}

/** Returns the first value that a folder around a path has, from the innermost. */
function firstAround<Value>(path: string, find: (folder: string) => Value | undefined): Value | undefined {
  for (const folder of foldersAround(folderOf(path))) {
    const found = find(folder);
    if (found !== undefined) return found;
  }
  return undefined;
}

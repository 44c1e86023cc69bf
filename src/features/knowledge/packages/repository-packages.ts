import {
  type AskedPackage,
  type Ecosystem,
  folderOf,
  foldersAround,
  type Manifest,
  type ModuleRoots,
  type Provided,
  rootsOf,
} from '../../../backends/languages/port.ts';
import { packageKey, packageRuleOf } from './ecosystems.ts';

/** A package that a file imports, and the manifest that asks for it. */
export interface Asked extends AskedPackage {
  readonly ecosystem: Ecosystem;
  readonly manifest: string;
}

/** The packages that the manifests of a repository provide and ask for. */
export class RepositoryPackages {
  /** Hash of the manifests. */
  readonly digest: string;
  /** The names of modules that the manifests give to places of the repository. */
  readonly roots: ModuleRoots;
  readonly #manifests: ReadonlyMap<string, Manifest>;
  /** The packages by ecosystem and folder. */
  readonly #provided = new Map<string, Provided>();
  /** The packages that the manifests of a folder ask for, by ecosystem, folder and key. */
  readonly #asked = new Map<string, Asked[]>();

  constructor(manifests: ReadonlyMap<string, Manifest> = new Map(), digest = '') {
    this.digest = digest;
    this.roots = rootsOf(manifests);
    this.#manifests = manifests;
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

  /** Returns the package that a file is part of: that of the nearest manifest around it. */
  around(path: string, ecosystem: Ecosystem): Provided | undefined {
    return firstAround(path, (folder) => this.#provided.get(`${ecosystem} ${folder}`));
  }

  /** Returns the package that an import of a file means; `undefined` if no manifest around the file asks for it. */
  importedBy(path: string, language: string, module: string): Asked | undefined {
    const rule = packageRuleOf(language);
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
  for (const folder of foldersAround(path)) {
    const found = find(folder);
    if (found !== undefined) return found;
  }
  return undefined;
}

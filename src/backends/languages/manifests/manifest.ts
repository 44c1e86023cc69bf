import type { ModuleRoot } from '../modules/module-roots.ts';

/** A registry in which packages are published. Each has names of its own. */
export type Ecosystem = 'npm' | 'go' | 'pypi' | 'cargo' | 'maven' | 'composer' | 'gem' | 'nuget' | 'pod';

/** A package that a manifest asks for. */
export interface AskedPackage {
  readonly name: string;
  /** The name by which code imports it, if that is not its own. */
  readonly importedAs?: string | undefined;
  /** The version as written; empty if any is accepted. */
  readonly version: string;
  readonly line: number;
  /** True if it is asked for for development only. Not all kinds of manifests tell. */
  readonly isForDevelopment?: true;
}

/** The packages that a manifest provides and asks for, on behalf of its folder. */
export interface Manifest {
  readonly ecosystem: Ecosystem;
  /** The name of the package that it describes. */
  readonly provides: string | undefined;
  /** The files that each subpath of the package stands for, in order of preference (npm). */
  readonly entries?: ReadonlyMap<string, readonly string[]>;
  readonly asks: readonly AskedPackage[];
  /** The names of modules that it gives to places of the repository. */
  readonly roots?: readonly ModuleRoot[];
  readonly compiler?: CompilerConfig;
}

/** The options of the TypeScript compiler that say where modules are. Paths are those of the repository. */
export interface CompilerConfig {
  /** Other configurations, the last one first in what they say; of a package as written. */
  readonly extends: readonly string[];
  readonly references: readonly string[];
  readonly baseUrl: string | undefined;
  readonly outDir: string | undefined;
  readonly rootDir: string | undefined;
  /** Names of modules with their places, from `baseUrl` or else the folder of the configuration. */
  readonly paths: readonly (readonly [name: string, places: readonly string[]])[] | undefined;
}

/** Reads a manifest. Throws or returns nothing for one that is damaged. */
export type ReadManifest = (text: string, path: string) => Omit<Manifest, 'ecosystem'>;

/** Finds the lines of texts that are asked for in the order of the file. */
export class LineFinder {
  readonly #text: string;
  readonly #starts: number[] = [0];
  #from = 0;

  constructor(text: string) {
    this.#text = text;
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) this.#starts.push(at + 1);
  }

  /** Continues the search behind a text, such as the name of a section. */
  startAt(text: string): void {
    this.#from = Math.max(this.#text.indexOf(text), 0);
  }

  /** Returns the line of the next place of a text, or else of its first one; 1 if there is none. */
  find(text: string): number {
    const next = this.#text.indexOf(text, this.#from);
    const at = next >= 0 ? next : this.#text.indexOf(text);
    if (next >= 0) this.#from = next + text.length;
    return this.#lineAt(Math.max(at, 0));
  }

  #lineAt(offset: number): number {
    let [low, high] = [0, this.#starts.length];
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if (this.#starts[middle]! <= offset) low = middle;
      else high = middle;
    }
    return low + 1;
  }
}

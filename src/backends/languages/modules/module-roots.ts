import { addTo } from '../../../foundation/kernel/add-to.ts';
import { foldersAround } from './paths.ts';

/** The modules that a root belongs to. Each kind has names of its own. */
type RootKind =
  | 'cargo'
  | 'dotnet'
  | 'go'
  | 'npm'
  | 'npm-imports'
  | 'python'
  | 'python-package'
  | 'tsconfig'
  | 'tsconfig-output'
  | 'tsconfig-paths';

/** A name by which modules are imported, and the places that it leads to. */
export interface ModuleRoot {
  readonly kind: RootKind;
  /** The folder of the files that import by this name; empty for all files. */
  readonly within: string;
  /** A module, or a pattern of modules with one `*`. */
  readonly name: string;
  /** The folder that the places are in. */
  readonly folder: string;
  /** In order of preference. A `*` is replaced by what it stands for in the name. */
  readonly places: readonly string[];
}

/** Returns the files at a place in the folder of a root. */
type FilesAt = (place: string, folder: string) => readonly string[];

/** Maximum number of roots of a repository, of roots with one name and of places of one, and length of a name or place. */
const max = { roots: 200_000, claims: 10, places: 20, length: 500 } as const;

/** The names that hold in one folder. */
interface Level {
  readonly exact: Map<string, ModuleRoot[]>;
  /** The patterns by the text before the `*`, then by the text after it. */
  readonly patterns: Map<string, Map<string, ModuleRoot[]>>;
  /** Lengths of the texts before the `*`, the longest first. */
  lengths: readonly number[];
}

/** The names of modules of one repository. */
export class ModuleRoots {
  readonly #levels = new Map<string, Level>();

  constructor(roots: Iterable<ModuleRoot> = []) {
    let count = 0;
    for (const root of roots) {
      if (count >= max.roots) break;
      if (!isPattern(root.name)) continue;
      count += 1;
      add(this.#levels, root);
    }
    for (const level of this.#levels.values()) {
      const lengths = [...level.patterns.keys()].map(({ length }) => length);
      level.lengths = [...new Set(lengths)].toSorted((a, b) => b - a);
    }
  }

  /**
   * Returns the files of a module: those of the innermost folder around a path and of the longest name that leads to
   * any. Several roots with that name are all possible.
   */
  find(kind: RootKind, from: string, module: string, filesAt: FilesAt): readonly string[] {
    for (const folder of foldersAround(from)) {
      const level = this.#levels.get(`${kind} ${folder}`);
      if (level === undefined) continue;
      for (const [claims, star] of claimsOf(level, module)) {
        const found = claims.slice(0, max.claims).flatMap((root) => filesOf(root, star, filesAt));
        if (found.length > 0) return [...new Set(found)];
      }
    }
    return [];
  }
}

function add(levels: Map<string, Level>, root: ModuleRoot): void {
  const key = `${root.kind} ${root.within}`;
  const level: Level = levels.get(key) ?? { exact: new Map(), patterns: new Map(), lengths: [] };
  levels.set(key, level);
  const [before = '', end] = root.name.split('*');
  let names = level.exact;
  if (end !== undefined) {
    names = level.patterns.get(before) ?? new Map<string, ModuleRoot[]>();
    level.patterns.set(before, names);
  }
  addTo(names, end ?? before, root);
}

/** Yields the roots whose name a module has, with what `*` stands for; the longest beginning first. */
function* claimsOf(level: Level, module: string): Generator<readonly [readonly ModuleRoot[], string], void> {
  const exact = level.exact.get(module);
  if (exact !== undefined) yield [exact, ''];
  for (const length of level.lengths) {
    if (length > module.length) continue;
    for (const [end, claims] of level.patterns.get(module.slice(0, length)) ?? [])
      if (module.length >= length + end.length && module.endsWith(end))
        yield [claims, module.slice(length, module.length - end.length)];
  }
}

function filesOf({ places, folder }: ModuleRoot, star: string, filesAt: FilesAt): readonly string[] {
  for (const place of places.slice(0, max.places)) {
    const named = place.replace('*', () => star);
    const found = isPattern(place) ? filesAt(named, folder) : [];
    if (found.length > 0) return found;
  }
  return [];
}

/** Returns whether a text is short, and has at most one `*`. */
function isPattern(text: string): boolean {
  return text.length <= max.length && text.indexOf('*') === text.lastIndexOf('*');
}

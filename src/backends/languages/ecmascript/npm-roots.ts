import type { Manifest } from '../manifests/manifest.ts';
import type { ModuleRoot } from '../modules/module-roots.ts';
import { folderOf } from '../modules/paths.ts';

/** The folders in which the source of a package or module is looked for: entries often name built files. */
const sources = ['src/', 'lib/', ''];

/** Returns the names of the packages of npm in a repository. */
export function rootsOfPackages(manifests: ReadonlyMap<string, Manifest>): readonly ModuleRoot[] {
  const packages = [...manifests].filter(([, { ecosystem, provides }]) => ecosystem === 'npm' && provides);
  const byName = Map.groupBy(packages, ([, { provides = '' }]) => provides);
  return [...byName].flatMap(([name, claims]) =>
    claims.flatMap(([path, { entries = new Map<string, readonly string[]>() }]): readonly ModuleRoot[] => {
      const root = { kind: 'npm', within: '', folder: folderOf(path) } as const;
      // An entry that only one of several packages with a name has would decide for it.
      const own = claims.length > 1 ? [] : [...entries];
      return [
        ...own.map(([subpath, places]) => ({ ...root, name: `${name}${subpath}`, places })),
        { ...root, name, places: sources.map((each) => `${each}index.js`) },
        { ...root, name: `${name}/*`, places: sources.map((each) => `${each}*`) },
      ];
    }),
  );
}

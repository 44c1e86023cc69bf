import type { CompilerConfig, Manifest } from '../manifests/manifest.ts';
import type { ModuleRoot } from '../modules/module-roots.ts';
import { folderOf, joinPath } from '../modules/paths.ts';

/** Maximum number of configurations that are asked for an option of one. */
const maxExtended = 50;

type Configs = ReadonlyMap<string, CompilerConfig>;

/**
 * Returns the names that the configurations of the TypeScript compiler give to places. The paths of each stand once,
 * within the path of its file, because hundreds may extend one: `config` leads from a folder to those that hold there.
 */
export function rootsOfCompilers(manifests: ReadonlyMap<string, Manifest>): readonly ModuleRoot[] {
  const packages = new Map([...manifests].map(([path, { provides }]) => [provides, folderOf(path)]));
  const configs: Configs = new Map(
    [...manifests].flatMap(([path, { compiler }]) =>
      compiler === undefined
        ? []
        : [[path, { ...compiler, extends: compiler.extends.map(placeOf(packages)) }]],
    ),
  );
  return [...configs].flatMap(([path, config]) => [
    ...rootsOfPaths(path, config, configs),
    ...rootsOfOutput(path, config),
    ...rootsOfFolder(path, configs),
  ]);
}

/** Returns a function that returns the place of a configuration in a package of the repository. */
function placeOf(packages: ReadonlyMap<string | undefined, string>): (written: string) => string {
  return (written) => {
    const [, name = '', inside = ''] = /^((?:@[^/]+\/)?[^/]+)\/(.+)$/.exec(written) ?? [];
    const folder = packages.get(name);
    return folder === undefined ? written : joinPath(folder, inside);
  };
}

function rootsOfPaths(path: string, config: CompilerConfig, configs: Configs): readonly ModuleRoot[] {
  const root = { kind: 'tsconfig-paths', within: path } as const;
  const { paths = [], baseUrl } = config;
  const owner = ownerOf(configs, path, ({ baseUrl: each }) => each !== undefined);
  const folder = configs.get(owner)?.baseUrl ?? folderOf(path);
  const named = paths.map(([name, places]): ModuleRoot => ({ ...root, name, folder, places }));
  const isWhole = baseUrl === undefined || paths.some(([name]) => name === '*');
  return isWhole ? named : [...named, { ...root, name: '*', folder: baseUrl, places: ['*'] }];
}

/** Returns the root of the written files, which leads to their sources. */
function rootsOfOutput(path: string, { outDir, rootDir }: CompilerConfig): readonly ModuleRoot[] {
  const folder = folderOf(path);
  if (outDir === undefined || outDir === folder) return [];
  const sources = rootDir === undefined ? [joinPath(folder, 'src'), folder] : [rootDir];
  return [
    {
      kind: 'tsconfig-output',
      within: '',
      name: `${outDir}/*`,
      folder: '',
      places: sources.map((each) => joinPath(each, '*')),
    },
  ];
}

/** Returns the roots that lead from the folder of a configuration to those with its paths. */
function rootsOfFolder(path: string, configs: Configs): readonly ModuleRoot[] {
  const folder = folderOf(path);
  const own = joinPath(folder, 'tsconfig.json');
  const isNearest = path === own || (path === joinPath(folder, 'jsconfig.json') && !configs.has(own));
  if (!isNearest) return [];
  // A folder may leave its options to configurations beside that of its name.
  const beside = configs.get(path)!.references.filter((each) => folderOf(each) === folder);
  const used = [path, ...beside.slice(0, 5)];
  const places = new Set([
    ...used.map((each) => ownerOf(configs, each, ({ paths }) => paths !== undefined)),
    ...used.map((each) => ownerOf(configs, each, ({ baseUrl }) => baseUrl !== undefined)),
  ]);
  return [...places].map((place) => ({
    kind: 'tsconfig',
    within: folder,
    name: 'config',
    folder: '',
    places: [place],
  }));
}

/** Returns the configuration whose option holds for one: that itself, or the last one that it extends. */
function ownerOf(configs: Configs, path: string, has: (config: CompilerConfig) => boolean): string {
  const seen = new Set<string>();
  const find = (at: string): string | undefined => {
    const config = configs.get(at);
    if (config === undefined || seen.has(at) || seen.size >= maxExtended) return undefined;
    seen.add(at);
    if (has(config)) return at;
    for (const each of config.extends.toReversed()) {
      const found = find(each);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return find(path) ?? path;
}

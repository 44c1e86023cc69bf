import { posix } from 'node:path';
import type { ModuleRules, PassingModule, Provided, SourceTree } from '../modules/module-rules.ts';

/** Maximum number of entries of a package, of files that one entry names, and of files that it passes on. */
const max = { entries: 50, written: 20, files: 200 } as const;

const declaration = /\.d\.[cm]?ts$/;
const ending = /(?:\.d)?\.[cm]?[jt]sx?$/;
const endings = ['.ts', '.tsx', '.mts', '.cts', '.js', '.jsx', '.mjs', '.cjs'];

/** Returns the modules of a package of npm with their files. */
export function entriesOf(
  { name, folder, entries }: Provided,
  tree: SourceTree,
  rules: ModuleRules,
): readonly PassingModule[] {
  return [...entries].slice(0, max.entries).flatMap(([subpath, written]): PassingModule[] => {
    const files = packageFiles(tree, folder, written);
    const entry = files.find((path) => !declaration.test(path));
    // Declarations say what a module passes on, where the code does not show it.
    const declared = files.filter((path) => declaration.test(path));
    const groups = [...(entry === undefined ? [] : [passedOn(tree, entry, rules)]), declared];
    return [{ module: `${name}${subpath}`, files: groups.filter((group) => group.length > 0) }];
  });
}

/** Returns the module that a file is by a pattern of a manifest, such as `./lib/*`. */
export function moduleByPattern({ name, folder, entries }: Provided, path: string): string | undefined {
  const inside = posix.relative(folder, path);
  for (const [subpath, written] of entries) {
    const [before = '', after] = subpath.split('*', 2);
    if (after === undefined) continue;
    for (const target of written.slice(0, max.written)) {
      const prefix = posix.normalize(target.split('*', 1)[0]!).replace(/^\.\//, '');
      const start = [prefix, prefix.replace(/^[^/]+\//, 'src/')].find((each) => inside.startsWith(each));
      if (start !== undefined && start !== '')
        return `${name}${before}${inside.slice(start.length).replace(ending, '')}${after}`;
    }
  }
  return undefined;
}

/**
 * Returns an entry and the files that it requires as a whole, which CommonJS passes on in ways that are not read:
 * `module.exports = require('./lib/client')`.
 */
function passedOn(tree: SourceTree, entry: string, { filesOf }: ModuleRules): readonly string[] {
  const found = new Set([entry]);
  for (const path of found) {
    const file = found.size < max.files ? tree.get(path) : undefined;
    if (file === undefined || !/\.c?js$/.test(path)) continue;
    for (const imported of file.imports)
      if (imported.name === undefined && (path === entry || imported.local === undefined))
        for (const each of filesOf(tree, file, imported)) found.add(each);
  }
  return [...found];
}

/** Returns the files of the repository that an entry means, which often names built files: code first, then declarations. */
export function packageFiles(
  tree: SourceTree,
  folder: string,
  written: readonly string[],
): readonly string[] {
  const bases = written.slice(0, max.written).flatMap((each) => {
    const parts = posix.normalize(each).split('/').slice(-8);
    const ends = parts.map((_, index) => parts.slice(index).join('/'));
    return [parts.join('/'), ...ends.flatMap((end) => [`src/${end}`, `lib/${end}`, end])];
  });
  const tries = bases.flatMap((base) => {
    const stem = base.replace(ending, '');
    return [base, ...endings.flatMap((each) => [`${stem}${each}`, `${stem}/index${each}`])];
  });
  const known = [...new Set(tries)].map((each) => posix.join(folder, each)).filter((each) => tree.has(each));
  const entry = known.find((path) => !declaration.test(path));
  return [
    ...(entry === undefined ? [] : [entry]),
    ...known.filter((path) => declaration.test(path)).slice(0, 1),
  ];
}

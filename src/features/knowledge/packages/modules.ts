import { posix } from 'node:path';
import { resolveImport } from '../symbols/resolve/resolve-import.ts';
import { folderOf, type SymbolTable } from '../symbols/resolve/symbol-table.ts';
import type { TableFile } from '../symbols/resolve/table-file.ts';
import type { Provided } from './repository-packages.ts';

/** The modules through which the definitions of a file are imported. */
export interface Modules {
  /** The module that the file itself is. */
  readonly own: string | undefined;
  /** Other modules, which may pass its names on, by the files that they are. */
  readonly through: readonly PassingModule[];
}

export type PassingModule = readonly [module: string, files: readonly string[]];

type FindModules = (provided: Provided, file: TableFile, table: SymbolTable) => Modules | undefined;

/** The modules of a file by family, besides JavaScript. The names of other families are not followed. */
export const modulesOf: Readonly<Record<string, FindModules>> = {
  go: ({ name, folder }, { path, package: declared }) => {
    if (declared === 'main') return undefined;
    const inside = posix.relative(folder, folderOf(path));
    return { own: inside === '' ? name : `${name}/${inside}`, through: [] };
  },
  java: (_provided, { package: declared }) => ({ own: declared, through: [] }),
  php: (_provided, { package: declared }) => ({ own: declared, through: [] }),
  python: pythonModules,
  rust: rustModules,
};

/** Maximum number of entries of a package, and of files that one entry passes on. */
const max = { entries: 50, files: 200 } as const;

/** Returns the modules of a package of npm with their files. */
export function entriesOf({ name, folder, entries }: Provided, table: SymbolTable): readonly PassingModule[] {
  return [...entries].slice(0, max.entries).flatMap(([subpath, written]): PassingModule[] => {
    const entry = entryFile(table, folder, written);
    return entry === undefined ? [] : [[`${name}${subpath}`, passedOn(table, entry)]];
  });
}

/**
 * Returns an entry and the files that it requires as a whole, which CommonJS passes on in ways that are not read:
 * `module.exports = require('./lib/client')`.
 */
function passedOn(table: SymbolTable, entry: string): readonly string[] {
  const found = new Set([entry]);
  for (const path of found) {
    const file = found.size < max.files ? table.get(path) : undefined;
    if (file === undefined || !/\.c?js$/.test(path)) continue;
    for (const imported of file.imports)
      if (imported.name === undefined && (path === entry || imported.local === undefined))
        for (const each of resolveImport(table, file, imported)) found.add(each);
  }
  return [...found];
}

/** Returns the first file of the repository that an entry of a manifest means, which often names a built file. */
function entryFile(table: SymbolTable, folder: string, written: readonly string[]): string | undefined {
  const bases = written.slice(0, 20).flatMap((each) => {
    const parts = posix.normalize(each).split('/').slice(-8);
    const ends = parts.map((_, index) => parts.slice(index).join('/'));
    return [parts.join('/'), ...ends.flatMap((end) => [`src/${end}`, `lib/${end}`, end])];
  });
  for (const base of new Set(bases)) {
    const stem = base.replace(/(?:\.d)?\.[cm]?[jt]sx?$/, '');
    const endings = ['.ts', '.tsx', '.mts', '.cts', '.js', '.jsx', '.mjs', '.cjs'];
    const tries = [base, ...endings.flatMap((ending) => [`${stem}${ending}`, `${stem}/index${ending}`])];
    const found = tries
      .map((each) => posix.join(folder, each))
      .find((each) => table.has(each) && !/\.d\.[cm]?ts$/.test(each));
    if (found !== undefined) return found;
  }
  return undefined;
}

function pythonModules({ folder }: Provided, { path }: TableFile, table: SymbolTable): Modules | undefined {
  const inside = posix.relative(folder, path);
  const [top = ''] = inside.split('/', 1);
  const isRooted = top === 'src' || top === 'lib' || top === 'python';
  const root = isRooted ? posix.join(folder, top) : folder;
  const module = posix.relative(root, path).replace(/(?:\/__init__)?\.py$/, '');
  if (module.endsWith('.pyi') || module === '__init__') return undefined;
  // Without a source folder, only packages and single modules at the top are installed.
  const isInstalled = isRooted || !inside.includes('/') || table.has(posix.join(root, top, '__init__.py'));
  if (!isInstalled) return undefined;
  const through: [string, readonly string[]][] = [];
  for (let above = folderOf(posix.relative(root, path)); above !== ''; above = folderOf(above)) {
    const init = posix.join(root, above, '__init__.py');
    if (init !== path && table.has(init)) through.push([above.replaceAll('/', '.'), [init]]);
  }
  return { own: module.replaceAll('/', '.'), through };
}

function rustModules(
  { name, folder }: Provided,
  { path }: TableFile,
  table: SymbolTable,
): Modules | undefined {
  const inside = posix.relative(folder, path);
  if (!inside.startsWith('src/')) return undefined;
  const crate = name.replaceAll('-', '_');
  const module = inside.slice('src/'.length).replace(/(?:(?:^|\/)(?:mod|lib))?\.rs$/, '');
  const own = [crate, ...module.split('/').filter((part) => part !== '')].join('::');
  const root = posix.join(folder, 'src/lib.rs');
  return { own, through: root !== path && table.has(root) ? [[crate, [root]]] : [] };
}

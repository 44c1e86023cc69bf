import { posix } from 'node:path';
import { folderOf } from '../../../backends/languages/port.ts';
import type { SymbolTable } from '../symbols/resolve/symbol-table.ts';
import type { TableFile } from '../symbols/resolve/table-file.ts';
import type { Provided } from './repository-packages.ts';

/** The modules through which the definitions of a file are imported. */
export interface Modules {
  /** The module that the file itself is. */
  readonly own: string | undefined;
  /** Other modules, which may pass its names on, by the files that they are. */
  readonly through: readonly PassingModule[];
}

export interface PassingModule {
  readonly module: string;
  /** Groups of files: one is asked for a name if those before it do not know it. */
  readonly files: readonly (readonly string[])[];
}

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
  const through: PassingModule[] = [];
  for (let above = folderOf(posix.relative(root, path)); above !== ''; above = folderOf(above)) {
    const init = posix.join(root, above, '__init__.py');
    if (init !== path && table.has(init))
      through.push({ module: above.replaceAll('/', '.'), files: [[init]] });
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
  return { own, through: root !== path && table.has(root) ? [{ module: crate, files: [[root]] }] : [] };
}

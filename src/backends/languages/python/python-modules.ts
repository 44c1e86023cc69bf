import { posix } from 'node:path';
import { firstKnown, nearestTo } from '../modules/find-files.ts';
import {
  type ImportingFile,
  type ModuleRules,
  type Modules,
  noModules,
  type PassingModule,
  type Provided,
  type SourceTree,
} from '../modules/module-rules.ts';
import { ancestor, beginnings, dashed, folderOf, joinPath } from '../modules/paths.ts';
import type { ImportedName } from '../outline.ts';

/** The rules of modules for Python. */
export const pythonModules: ModuleRules = {
  filesOf,
  packages: {
    ecosystem: 'pypi',
    keyOf: dashed,
    idOf: dashed,
    keysOfModule: (module) =>
      module.startsWith('.') ? [] : beginnings(module.split('.'), '-').map((name) => dashed(name)),
  },
  modulesOf,
};

function filesOf(tree: SourceTree, from: ImportingFile, { source, name }: ImportedName): readonly string[] {
  const dots = /^\.*/.exec(source)![0].length;
  const module = source.slice(dots).replaceAll('.', '/');
  const find =
    dots > 0
      ? (each: string) =>
          firstKnown(tree, moduleFiles(joinPath(ancestor(folderOf(from.path), dots - 1), each)))
      : (each: string) => (each === '' ? [] : absoluteFiles(tree, from, each));
  const container = find(module);
  if (name === undefined || name === '*' || tree.defining(container, name).length > 0) return container;
  // The name may be a module of the package.
  const inner = find(joinPath(module, name));
  return inner.length > 0 ? inner : container;
}

function moduleFiles(base: string): readonly string[] {
  return [`${base}.py`, `${base}.pyi`, joinPath(base, '__init__.py')];
}

/**
 * Finds a module from a source root: the innermost folder around the importer that has it, or else a folder that a
 * manifest names or that has a usual name, and that no package is around.
 */
function absoluteFiles(tree: SourceTree, from: ImportingFile, module: string): readonly string[] {
  const byRoot = new Map<string, string>();
  for (const file of moduleFiles(module))
    for (const path of tree.endingWith(file)) {
      const root = path.slice(0, Math.max(path.length - file.length - 1, 0));
      if (!byRoot.has(root)) byRoot.set(root, path);
    }
  const roots = [...byRoot.keys()].filter((root) => root === '' || !tree.has(joinPath(root, '__init__.py')));
  const around = roots.filter((root) => root === '' || from.path.startsWith(`${root}/`));
  const innermost = around.toSorted((a, b) => b.length - a.length)[0];
  if (innermost !== undefined) return [byRoot.get(innermost)!];
  const named = roots.filter((root) => usualRoot.test(root) || isRoot(tree, root));
  if (named.length > 0)
    return nearestTo(
      from,
      named.map((root) => byRoot.get(root)!),
    );
  return tree.roots.find('python-package', '', module.replaceAll('/', '.'), (place, folder) =>
    firstKnown(tree, moduleFiles(joinPath(folder, place.replaceAll('.', '/')))),
  );
}

const usualRoot = /(?:^|\/)(?:src|lib|python)$/;

function isRoot(tree: SourceTree, folder: string): boolean {
  return tree.roots.find('python', '', folder, () => [folder]).length > 0;
}

function modulesOf({ folder }: Provided, { path }: ImportingFile, tree: SourceTree): Modules {
  const inside = posix.relative(folder, path);
  const [top = ''] = inside.split('/', 1);
  const isRooted = top === 'src' || top === 'lib' || top === 'python';
  const root = isRooted ? posix.join(folder, top) : folder;
  const module = posix.relative(root, path).replace(/(?:\/__init__)?\.py$/, '');
  if (module.endsWith('.pyi') || module === '__init__') return noModules;
  // Without a source folder, only packages and single modules at the top are installed.
  const isInstalled = isRooted || !inside.includes('/') || tree.has(posix.join(root, top, '__init__.py'));
  if (!isInstalled) return noModules;
  const through: PassingModule[] = [];
  for (let above = folderOf(posix.relative(root, path)); above !== ''; above = folderOf(above)) {
    const init = posix.join(root, above, '__init__.py');
    if (init !== path && tree.has(init))
      through.push({ module: above.replaceAll('/', '.'), files: [[init]] });
  }
  return { own: module.replaceAll('/', '.'), through };
}

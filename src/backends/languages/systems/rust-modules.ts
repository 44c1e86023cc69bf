import { posix } from 'node:path';
import { firstKnown } from '../modules/find-files.ts';
import {
  type ImportingFile,
  type ModuleRules,
  type Modules,
  noModules,
  type Provided,
  type SourceTree,
} from '../modules/module-rules.ts';
import { ancestor, dashed, folderOf, joinPath } from '../modules/paths.ts';
import type { ImportedName } from '../outline.ts';

/** The rules of modules for Rust. */
export const rustModules: ModuleRules = {
  filesOf,
  packages: {
    ecosystem: 'cargo',
    keyOf: dashed,
    keysOfModule: (module) => [dashed(module.split('::', 1)[0]!)],
  },
  modulesOf,
};

function filesOf(
  tree: SourceTree,
  { path }: ImportingFile,
  { source, name }: ImportedName,
): readonly string[] {
  const [head = '', ...rest] = source.split('::');
  const last = name === undefined || name === '*' ? [] : [name];
  const segments = [...rest, ...last];
  const isRoot = /(?:^|\/)(?:mod|lib|main)\.rs$/.test(path);
  const module = isRoot ? folderOf(path) : path.replace(/\.rs$/, '');
  if (head === 'crate') return moduleFiles(tree, crateRoot(tree, path), segments);
  if (head === 'self') return moduleFiles(tree, module, segments);
  if (head === 'super') {
    const levels = rest.findIndex((segment) => segment !== 'super');
    const count = levels < 0 ? rest.length : levels;
    return moduleFiles(tree, ancestor(module, count + 1), segments.slice(count));
  }
  const local = moduleFiles(tree, module, [head, ...segments], 1);
  if (local.length > 0) return local;
  return tree.roots.find('cargo', path, head, (place, folder) => {
    const root = joinPath(folder, place);
    if (!tree.has(root)) return [];
    const inner = moduleFiles(tree, folderOf(root), segments, 1);
    return inner.length > 0 ? inner : [root];
  });
}

function crateRoot(tree: SourceTree, path: string): string {
  for (let folder = folderOf(path); ; folder = folderOf(folder)) {
    if (tree.has(joinPath(folder, 'lib.rs')) || tree.has(joinPath(folder, 'main.rs'))) return folder;
    if (folder === '') return folderOf(path);
  }
}

/** Finds the file of the longest module path that exists, of at least `min` segments; the rest are names in it. */
function moduleFiles(
  tree: SourceTree,
  root: string,
  segments: readonly string[],
  min = 0,
): readonly string[] {
  for (let length = segments.length; length >= min; length--) {
    const base = joinPath(root, segments.slice(0, length).join('/'));
    const found = firstKnown(
      tree,
      length === 0
        ? [`${root}.rs`, joinPath(root, 'lib.rs'), joinPath(root, 'main.rs'), joinPath(root, 'mod.rs')]
        : [`${base}.rs`, joinPath(base, 'mod.rs')],
    );
    if (found.length > 0) return found;
  }
  return [];
}

function modulesOf({ name, folder }: Provided, { path }: ImportingFile, tree: SourceTree): Modules {
  const inside = posix.relative(folder, path);
  if (!inside.startsWith('src/')) return noModules;
  const crate = name.replaceAll('-', '_');
  const module = inside.slice('src/'.length).replace(/(?:(?:^|\/)(?:mod|lib))?\.rs$/, '');
  const own = [crate, ...module.split('/').filter((part) => part !== '')].join('::');
  const root = posix.join(folder, 'src/lib.rs');
  return { own, through: root !== path && tree.has(root) ? [{ module: crate, files: [[root]] }] : [] };
}

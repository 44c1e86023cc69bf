import {
  ancestor,
  type FileTable,
  firstKnown,
  folderOf,
  foldersAround,
  type ImportingFile,
  joinPath,
} from '../imports/file-table.ts';
import type { ImportedName } from '../outline.ts';

export function resolveRust(
  table: FileTable,
  from: ImportingFile,
  { source, name }: ImportedName,
): readonly string[] {
  const [head = '', ...rest] = source.split('::');
  const last = name === undefined || name === '*' ? [] : [name];
  const segments = [...rest, ...last];
  const isRoot = /(?:^|\/)(?:mod|lib|main)\.rs$/.test(from.path);
  const module = isRoot ? folderOf(from.path) : from.path.replace(/\.rs$/, '');
  if (head === 'crate') return rustModule(table, crateRoot(table, from.path), segments);
  if (head === 'self') return rustModule(table, module, segments);
  if (head === 'super') {
    const levels = rest.findIndex((segment) => segment !== 'super');
    const count = levels < 0 ? rest.length : levels;
    return rustModule(table, ancestor(module, count + 1), segments.slice(count));
  }
  const local = rustModule(table, module, [head, ...segments], 1);
  if (local.length > 0) return local;
  const names = [head, head.replaceAll('_', '-')];
  const roots = names.flatMap((each) => table.endingWith(`${each}/src/lib.rs`));
  return roots.length === 1 ? rustModule(table, folderOf(roots[0]!), segments) : [];
}

function crateRoot(table: FileTable, path: string): string {
  for (const folder of foldersAround(folderOf(path)))
    if (table.has(joinPath(folder, 'lib.rs')) || table.has(joinPath(folder, 'main.rs'))) return folder;
  return folderOf(path);
}

/** Finds the file of the longest module path that exists, of at least `min` segments; the rest are names in it. */
function rustModule(table: FileTable, root: string, segments: readonly string[], min = 0): readonly string[] {
  for (let length = segments.length; length >= min; length--) {
    const base = joinPath(root, segments.slice(0, length).join('/'));
    const found = firstKnown(
      table,
      length === 0
        ? [`${root}.rs`, joinPath(root, 'lib.rs'), joinPath(root, 'main.rs'), joinPath(root, 'mod.rs')]
        : [`${base}.rs`, joinPath(base, 'mod.rs')],
    );
    if (found.length > 0) return found;
  }
  return [];
}

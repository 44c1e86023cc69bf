import {
  ancestor,
  type FileTable,
  firstKnown,
  folderOf,
  type ImportingFile,
  joinPath,
} from '../imports/file-table.ts';
import type { ImportedName } from '../outline.ts';

export function resolvePython(
  table: FileTable,
  from: ImportingFile,
  imported: ImportedName,
): readonly string[] {
  const dots = /^\.*/.exec(imported.source)![0].length;
  const module = imported.source.slice(dots).replaceAll('.', '/');
  // The name may be a module of the package.
  const tries =
    imported.name === undefined || imported.name === '*'
      ? [module]
      : [joinPath(module, imported.name), module];
  const find =
    dots > 0
      ? (each: string) =>
          firstKnown(table, moduleFiles(joinPath(ancestor(folderOf(from.path), dots - 1), each)))
      : (each: string) => (each === '' ? [] : absolutePython(table, from, moduleFiles(each)));
  const container = find(module);
  if (imported.name !== undefined && table.defining(container, imported.name).length > 0) return container;
  for (const each of tries) {
    const found = find(each);
    if (found.length > 0) return found;
  }
  return [];
}

/** Finds a module from a source root: a folder around the importer, or one with no package around it. */
function absolutePython(table: FileTable, from: ImportingFile, files: readonly string[]): readonly string[] {
  const roots = files.flatMap((file) =>
    table.endingWith(file).flatMap((path) => {
      const root = path.slice(0, Math.max(path.length - file.length - 1, 0));
      const isPackage = root !== '' && table.has(joinPath(root, '__init__.py'));
      const isAround = root === '' || from.path.startsWith(`${root}/`);
      return isPackage || !(isAround || /(?:^|\/)(?:src|lib|python)$/.test(root)) ? [] : [{ path, root }];
    }),
  );
  const longest = roots.toSorted((a, b) => b.root.length - a.root.length)[0];
  return longest === undefined ? [] : [longest.path];
}

function moduleFiles(base: string): readonly string[] {
  return [`${base}.py`, `${base}.pyi`, joinPath(base, '__init__.py')];
}

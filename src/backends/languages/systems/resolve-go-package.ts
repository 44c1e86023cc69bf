import { type FileTable, folderOf, type ImportingFile, joinPath } from '../imports/file-table.ts';
import type { ImportedName } from '../outline.ts';

export function resolveGoPackage(
  table: FileTable,
  from: ImportingFile,
  { source }: ImportedName,
): readonly string[] {
  for (const [path, folder] of table.modules.go) {
    // The standard library has the module `std`, and imports without it.
    const rest = path === 'std' ? source : source === path ? '' : withoutPrefix(source, `${path}/`);
    if (rest === undefined) continue;
    const files = table.inFolder(joinPath(folder, rest));
    const found = files.filter((file) => file.endsWith('.go') && !file.endsWith('_test.go'));
    // The tests of a package may be a package of their own in its folder.
    const isOwn =
      folderOf(from.path) === folderOf(found[0] ?? '') && from.package?.endsWith('_test') !== true;
    if (found.length > 0 && !isOwn) return found;
  }
  return [];
}

function withoutPrefix(text: string, prefix: string): string | undefined {
  return text.startsWith(prefix) ? text.slice(prefix.length) : undefined;
}

import { bySuffix, type FileTable, folderOf, type ImportingFile } from '../imports/file-table.ts';
import type { ImportedName } from '../outline.ts';

export function resolveJvmName(
  table: FileTable,
  from: ImportingFile,
  { source, name }: ImportedName,
): readonly string[] {
  const path = source.replaceAll('.', '/');
  const files = jvmFiles(table, from, path);
  if (files.length > 0) return files;
  if (name === '*') return table.inPackage('java', source);
  // A nested class is in the file of the outer one.
  return path.includes('/') ? jvmFiles(table, from, folderOf(path)) : [];
}

/** Returns the files of a class, or of a function outside of classes, by its path. */
function jvmFiles(table: FileTable, from: ImportingFile, path: string): readonly string[] {
  const file = bySuffix(table, from, `${path}.java`);
  if (file.length > 0) return file;
  // Only in Java has the file the name of its class.
  const declared = table.inPackage('java', folderOf(path).replaceAll('/', '.'));
  return table.defining(declared, path.slice(path.lastIndexOf('/') + 1));
}

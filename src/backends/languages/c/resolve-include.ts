import {
  bySuffix,
  type FileTable,
  firstKnown,
  folderOf,
  type ImportingFile,
  joinPath,
} from '../imports/file-table.ts';
import type { ImportedName } from '../outline.ts';

/** Finds a header, and the source file beside it that implements it. */
export function resolveInclude(
  table: FileTable,
  from: ImportingFile,
  { source }: ImportedName,
): readonly string[] {
  const beside = firstKnown(table, [joinPath(folderOf(from.path), source)]);
  const found = beside.length > 0 ? beside : bySuffix(table, from, source);
  return found.flatMap((path) => {
    const stem = path.replace(/\.\w+$/, '');
    const sources = ['c', 'cc', 'cpp', 'cxx'].map((ending) => `${stem}.${ending}`);
    return [
      path,
      ...firstKnown(
        table,
        sources.filter((each) => each !== path),
      ),
    ];
  });
}

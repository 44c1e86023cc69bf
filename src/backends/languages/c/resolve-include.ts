import { beside, bySuffix, type FileTable, firstKnown, type ImportingFile } from '../imports/file-table.ts';
import type { ImportedName } from '../outline.ts';

/** Finds a header, and the source file beside it that implements it. */
export function resolveInclude(
  table: FileTable,
  from: ImportingFile,
  { source }: ImportedName,
): readonly string[] {
  const near = beside(table, from, source);
  const found = near.length > 0 ? near : bySuffix(table, from, source);
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

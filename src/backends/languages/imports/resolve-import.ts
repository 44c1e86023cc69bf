import { languages } from '../languages.ts';
import type { ImportedName, ParsedFile } from '../outline.ts';
import type { FileTable } from './file-table.ts';

/**
 * Returns the files of the repository that an import names by the rules of its language: one, or the files of a package.
 * Empty if it comes from elsewhere.
 */
export function resolveImport(
  table: FileTable,
  from: Pick<ParsedFile, 'path' | 'language' | 'package'>,
  imported: ImportedName,
): readonly string[] {
  const found = languages.get(from.language)?.resolveImport?.(table, from, imported) ?? [];
  return found.filter((path) => path !== from.path);
}

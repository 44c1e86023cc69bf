import { type FileTable, firstKnown, folderOf, type ImportingFile, joinPath } from '../imports/file-table.ts';
import type { ImportedName } from '../outline.ts';

const ecmascriptEndings = ['', '.ts', '.tsx', '.mts', '.cts', '.d.ts', '.js', '.jsx', '.mjs', '.cjs'];

export function resolveModule(
  table: FileTable,
  { path }: ImportingFile,
  { source }: ImportedName,
): readonly string[] {
  if (!source.startsWith('.')) return resolveNpmPackage(table, source);
  const base = joinPath(folderOf(path), source);
  const found = firstKnown(table, moduleFiles(base));
  // A file in a folder that is built.
  const built = base.replace(/(^|\/)(?:build|cjs|dist|esm|lib|out)\//, '$1src/');
  return found.length > 0 || built === base ? found : firstKnown(table, moduleFiles(built));
}

/** Finds the source of a module of a package that is in the same repository. */
function resolveNpmPackage(table: FileTable, source: string): readonly string[] {
  if (table.npmPackages.size === 0) return [];
  const [name = '', inside = ''] = /^((?:@[^/]+\/)?[^/]+)(?:\/(.+))?$/.exec(source)?.slice(1) ?? [];
  const folder = table.npmPackages.get(name);
  if (folder === undefined) return [];
  const bases = ['src', 'lib', ''].map((each) => joinPath(joinPath(folder, each), inside));
  return firstKnown(table, bases.flatMap(moduleFiles));
}

function moduleFiles(base: string): readonly string[] {
  // TypeScript may name the file that the compiler will write.
  const written = base.replace(/\.([mc]?)jsx?$/, '');
  return [
    ...ecmascriptEndings.map((ending) => base + ending),
    ...(written === base ? [] : ecmascriptEndings.map((ending) => written + ending)),
    ...ecmascriptEndings.slice(1).map((ending) => joinPath(base, `index${ending}`)),
  ];
}

import {
  type FileTable,
  firstKnown,
  folderOf,
  foldersAround,
  type ImportingFile,
  joinPath,
} from '../imports/file-table.ts';
import type { ImportedName } from '../outline.ts';

const ecmascriptEndings = ['', '.ts', '.tsx', '.mts', '.cts', '.d.ts', '.js', '.jsx', '.mjs', '.cjs'];

export function resolveModule(
  table: FileTable,
  { path }: ImportingFile,
  { source }: ImportedName,
): readonly string[] {
  if (!source.startsWith('.')) {
    const found = resolveNpmPackage(table, source);
    return found.length > 0 ? found : resolveAlias(table, folderOf(path), source);
  }
  const base = joinPath(folderOf(path), source);
  const found = firstKnown(table, moduleFiles(base));
  // A file in a folder that is built.
  const built = base.replace(/(^|\/)(?:build|cjs|dist|esm|lib|out)\//, '$1src/');
  return found.length > 0 || built === base ? found : firstKnown(table, moduleFiles(built));
}

/** Finds a module by another name of its path, that of the innermost folder around the importer first. */
function resolveAlias(table: FileTable, from: string, source: string): readonly string[] {
  for (const folder of foldersAround(from)) {
    for (const { pattern, targets } of table.modules.aliasesIn(folder)) {
      const matched = matchedBy(pattern, source);
      if (matched === undefined) continue;
      const found = firstKnown(
        table,
        targets.flatMap((target) => moduleFiles(target.replace('*', () => matched))),
      );
      if (found.length > 0) return found;
    }
  }
  return [];
}

/** Returns what the `*` of a pattern stands for in a text; `undefined` if the text is another one. */
function matchedBy(pattern: string, text: string): string | undefined {
  const [before = '', after] = pattern.split('*', 2);
  if (after === undefined) return text === pattern ? '' : undefined;
  const isMatch =
    text.length >= before.length + after.length && text.startsWith(before) && text.endsWith(after);
  return isMatch ? text.slice(before.length, text.length - after.length) : undefined;
}

/** Finds the source of a module of a package that is in the same repository. */
function resolveNpmPackage(table: FileTable, source: string): readonly string[] {
  if (table.modules.npm.size === 0) return [];
  const [name = '', inside = ''] = /^((?:@[^/]+\/)?[^/]+)(?:\/(.+))?$/.exec(source)?.slice(1) ?? [];
  const folder = table.modules.npm.get(name);
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

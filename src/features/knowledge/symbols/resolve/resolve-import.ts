import { posix } from 'node:path';
import type { ImportedName } from '../../../../backends/languages/port.ts';
import { familyOf, folderOf, type SymbolTable } from './symbol-table.ts';
import type { TableFile } from './table-file.ts';

/** An import with the files of the repository that it names; none if it comes from elsewhere. */
export interface ResolvedImport {
  readonly imported: ImportedName;
  readonly paths: readonly string[];
}

type Resolve = (table: SymbolTable, from: TableFile, imported: ImportedName) => readonly string[];

/**
 * Returns the files of the repository that an import names: one, or the files of a package. Empty if it comes from
 * elsewhere.
 */
export function resolveImport(
  table: SymbolTable,
  from: TableFile,
  imported: ImportedName,
): readonly string[] {
  const resolve = byFamily[familyOf(from.language)];
  if (resolve === undefined) return [];
  return resolve(table, from, imported).filter((path) => path !== from.path);
}

const byFamily: Readonly<Record<string, Resolve>> = {
  bash: (table, from, { source }) => bySuffix(table, from, afterVariable(source)),
  c: resolveInclude,
  csharp: (table, _from, { source, name }) => {
    const declared = table.inPackage('csharp', source);
    return name === '*' ? declared : table.defining(declared, name ?? '');
  },
  ecmascript: resolveModule,
  go: resolveGoPackage,
  java: resolveJvmName,
  php: resolvePhp,
  python: resolvePython,
  ruby: resolveRuby,
  rust: resolveRust,
};

/** Returns the first of the paths that exists. */
function firstKnown(table: SymbolTable, paths: readonly string[]): readonly string[] {
  const found = paths.find((path) => table.has(path));
  return found === undefined ? [] : [found];
}

function join(folder: string, path: string): string {
  const joined = posix.join(folder, path);
  return joined === '.' ? '' : joined;
}

/** Returns the path that ends with `suffix`; of several, the one that shares the most folders with the importer. */
function bySuffix(table: SymbolTable, from: TableFile, suffix: string): readonly string[] {
  const paths = table.endingWith(join('', suffix).replace(/^(?:\.\.\/)+/, ''));
  const shared = (path: string): number => {
    const segments = path.split('/');
    const others = from.path.split('/');
    const end = segments.findIndex((segment, index) => segment !== others[index]);
    return end < 0 ? segments.length : end;
  };
  const ranked = paths
    .map((path) => ({ path, shared: shared(path) }))
    .toSorted((a, b) => b.shared - a.shared);
  const [best, next] = ranked;
  return best === undefined || best.shared === next?.shared ? [] : [best.path];
}

const ecmascriptEndings = ['', '.ts', '.tsx', '.mts', '.cts', '.d.ts', '.js', '.jsx', '.mjs', '.cjs'];

function resolveModule(table: SymbolTable, { path }: TableFile, { source }: ImportedName): readonly string[] {
  if (!source.startsWith('.')) return resolveNpmPackage(table, source);
  const base = join(folderOf(path), source);
  const found = firstKnown(table, moduleFiles(base));
  // A file in a folder that is built.
  const built = base.replace(/(^|\/)(?:build|cjs|dist|esm|lib|out)\//, '$1src/');
  return found.length > 0 || built === base ? found : firstKnown(table, moduleFiles(built));
}

/** Finds the source of a module of a package that is in the same repository. */
function resolveNpmPackage(table: SymbolTable, source: string): readonly string[] {
  if (table.npmPackages.size === 0) return [];
  const [name = '', inside = ''] = /^((?:@[^/]+\/)?[^/]+)(?:\/(.+))?$/.exec(source)?.slice(1) ?? [];
  const folder = table.npmPackages.get(name);
  if (folder === undefined) return [];
  const bases = ['src', 'lib', ''].map((each) => join(join(folder, each), inside));
  return firstKnown(table, bases.flatMap(moduleFiles));
}

function moduleFiles(base: string): readonly string[] {
  // TypeScript may name the file that the compiler will write.
  const written = base.replace(/\.([mc]?)jsx?$/, '');
  return [
    ...ecmascriptEndings.map((ending) => base + ending),
    ...(written === base ? [] : ecmascriptEndings.map((ending) => written + ending)),
    ...ecmascriptEndings.slice(1).map((ending) => join(base, `index${ending}`)),
  ];
}

function resolvePython(table: SymbolTable, from: TableFile, imported: ImportedName): readonly string[] {
  const dots = /^\.*/.exec(imported.source)![0].length;
  const module = imported.source.slice(dots).replaceAll('.', '/');
  // The name may be a module of the package.
  const tries =
    imported.name === undefined || imported.name === '*' ? [module] : [join(module, imported.name), module];
  const files = (base: string): string[] => [`${base}.py`, `${base}.pyi`, join(base, '__init__.py')];
  const find =
    dots > 0
      ? (each: string) => firstKnown(table, files(join(ancestor(folderOf(from.path), dots - 1), each)))
      : (each: string) => (each === '' ? [] : absolutePython(table, from, files(each)));
  const container = find(module);
  if (imported.name !== undefined && table.defining(container, imported.name).length > 0) return container;
  for (const each of tries) {
    const found = find(each);
    if (found.length > 0) return found;
  }
  return [];
}

/** Finds a module from a source root: a folder around the importer, or one with no package around it. */
function absolutePython(table: SymbolTable, from: TableFile, files: readonly string[]): readonly string[] {
  const roots = files.flatMap((file) =>
    table.endingWith(file).flatMap((path) => {
      const root = path.slice(0, Math.max(path.length - file.length - 1, 0));
      const isPackage = root !== '' && table.has(join(root, '__init__.py'));
      const isAround = root === '' || from.path.startsWith(`${root}/`);
      return isPackage || !(isAround || /(?:^|\/)(?:src|lib|python)$/.test(root)) ? [] : [{ path, root }];
    }),
  );
  const longest = roots.toSorted((a, b) => b.root.length - a.root.length)[0];
  return longest === undefined ? [] : [longest.path];
}

function ancestor(folder: string, levels: number): string {
  let at = folder;
  for (let level = 0; level < levels; level++) at = folderOf(at);
  return at;
}

function resolveGoPackage(table: SymbolTable, from: TableFile, { source }: ImportedName): readonly string[] {
  for (const { folder, path } of table.goModules) {
    // The standard library has the module `std`, and imports without it.
    const rest = path === 'std' ? source : source === path ? '' : withoutPrefix(source, `${path}/`);
    if (rest === undefined) continue;
    const files = table.inFolder(join(folder, rest));
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

function resolveJvmName(
  table: SymbolTable,
  from: TableFile,
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
function jvmFiles(table: SymbolTable, from: TableFile, path: string): readonly string[] {
  const file = bySuffix(table, from, `${path}.java`);
  if (file.length > 0) return file;
  // Only in Java has the file the name of its class.
  const declared = table.inPackage('java', folderOf(path).replaceAll('/', '.'));
  return table.defining(declared, path.slice(path.lastIndexOf('/') + 1));
}

function resolveRust(table: SymbolTable, from: TableFile, { source, name }: ImportedName): readonly string[] {
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

function crateRoot(table: SymbolTable, path: string): string {
  for (let folder = folderOf(path); ; folder = folderOf(folder)) {
    if (table.has(join(folder, 'lib.rs')) || table.has(join(folder, 'main.rs'))) return folder;
    if (folder === '') return folderOf(path);
  }
}

/** Finds the file of the longest module path that exists, of at least `min` segments; the rest are names in it. */
function rustModule(
  table: SymbolTable,
  root: string,
  segments: readonly string[],
  min = 0,
): readonly string[] {
  for (let length = segments.length; length >= min; length--) {
    const base = join(root, segments.slice(0, length).join('/'));
    const found = firstKnown(
      table,
      length === 0
        ? [`${root}.rs`, join(root, 'lib.rs'), join(root, 'main.rs'), join(root, 'mod.rs')]
        : [`${base}.rs`, join(base, 'mod.rs')],
    );
    if (found.length > 0) return found;
  }
  return [];
}

/** Finds a header, and the source file beside it that implements it. */
function resolveInclude(table: SymbolTable, from: TableFile, { source }: ImportedName): readonly string[] {
  const beside = firstKnown(table, [join(folderOf(from.path), source)]);
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

function resolveRuby(table: SymbolTable, from: TableFile, { source }: ImportedName): readonly string[] {
  const file = source.endsWith('.rb') ? source : `${source}.rb`;
  const beside = firstKnown(table, [join(folderOf(from.path), file)]);
  if (beside.length > 0) return beside;
  return source.startsWith('.') ? [] : bySuffix(table, from, `lib/${file}`);
}

function resolvePhp(table: SymbolTable, from: TableFile, { source, name }: ImportedName): readonly string[] {
  if (name === '*') {
    const path = source.replace(/^\//, '');
    const beside = firstKnown(table, [join(folderOf(from.path), path)]);
    return beside.length > 0 ? beside : bySuffix(table, from, path);
  }
  const found = table.defining(table.inPackage('php', source), name ?? '');
  return found.length > 0 || source === ''
    ? found
    : bySuffix(table, from, `${source.split('\\').at(-1)}/${name}.php`);
}

/** Returns the part of a path after the last folder whose name contains a variable: `b/c.sh` of `$HOME/a$X/b/c.sh`. */
function afterVariable(source: string): string {
  const at = source.lastIndexOf('$', source.lastIndexOf('/'));
  return at < 0 ? source : source.slice(source.indexOf('/', at) + 1);
}

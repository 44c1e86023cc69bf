import { firstKnown } from '../modules/find-files.ts';
import type { ModuleRules, SourceTree } from '../modules/module-rules.ts';
import { folderOf, joinPath } from '../modules/paths.ts';
import { entriesOf, moduleByPattern, packageFiles } from './npm-modules.ts';

/** The rules of modules for JavaScript and TypeScript. */
export const ecmascriptModules: ModuleRules = {
  filesOf: (tree, { path }, { source }) => {
    // A definition of the file is exported under another name.
    if (source === '') return [path];
    return tree.kept(`ecmascript ${folderOf(path)}\n${source}`, () => filesOfModule(tree, path, source));
  },
  packages: {
    ecosystem: 'npm',
    keysOfModule: (module) => {
      if (/^[./#]|:/.test(module)) return [];
      const [scope = '', name = ''] = module.split('/', 2);
      return [scope.startsWith('@') ? `${scope}/${name}` : scope];
    },
  },
  entriesOf: (provided, tree) => entriesOf(provided, tree, ecmascriptModules),
  modulesOf: (provided, { path }) => ({ own: moduleByPattern(provided, path), through: [] }),
};

/** Returns the files of a module, which are the same for all files of a folder. */
function filesOfModule(tree: SourceTree, path: string, source: string): readonly string[] {
  if (source.startsWith('.')) return filesAt(tree, joinPath(folderOf(path), source));
  const aliased = filesOfAlias(tree, path, source);
  if (aliased.length > 0) return aliased;
  const fileOfPackage = (place: string, folder: string): readonly string[] =>
    packageFiles(tree, folder, [place]).slice(0, 1);
  return source.startsWith('#')
    ? tree.roots.find('npm-imports', path, source, fileOfPackage)
    : tree.kept(`npm ${source}`, () => tree.roots.find('npm', '', source, fileOfPackage));
}

const endings = ['', '.ts', '.tsx', '.mts', '.cts', '.d.ts', '.js', '.jsx', '.mjs', '.cjs'];

/** Returns the file that a path without an ending means, or its source if it is in a folder that is built. */
function filesAt(tree: SourceTree, base: string): readonly string[] {
  const found = firstKnown(tree, moduleFiles(base));
  if (found.length > 0) return found;
  const source = tree.roots.find('tsconfig-output', '', base, (place) =>
    firstKnown(tree, moduleFiles(place)),
  );
  const built = base.replace(/(^|\/)(?:build|cjs|dist|esm|lib|out)\//, '$1src/');
  return source.length > 0 || built === base ? source : firstKnown(tree, moduleFiles(built));
}

function moduleFiles(base: string): readonly string[] {
  // TypeScript may name the file that the compiler will write.
  const written = base.replace(/\.([mc]?)jsx?$/, '');
  return [
    ...endings.map((ending) => base + ending),
    ...(written === base ? [] : endings.map((ending) => written + ending)),
    ...endings.slice(1).map((ending) => joinPath(base, `index${ending}`)),
  ];
}

/** Returns the file that a configuration of the compiler gives a name: the nearest one around the importer. */
function filesOfAlias(tree: SourceTree, path: string, source: string): readonly string[] {
  for (const config of tree.roots.find('tsconfig', path, 'config', (place) => [place])) {
    const found = tree.roots.find('tsconfig-paths', `${config}/`, source, (place, folder) =>
      filesAt(tree, joinPath(folder, place)),
    );
    if (found.length > 0) return found;
  }
  return [];
}

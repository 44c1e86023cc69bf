import { posix } from 'node:path';
import { type ImportingFile, type ModuleRules, noModules, type SourceTree } from '../modules/module-rules.ts';
import { beginnings, folderOf, joinPath } from '../modules/paths.ts';

/** The rules of modules for Go. */
export const goModules: ModuleRules = {
  filesOf: (tree, from, { source }) =>
    tree.roots.find('go', from.path, source, (place, folder) =>
      filesOfPackage(tree, from, joinPath(folder, place)),
    ),
  packages: { ecosystem: 'go', keysOfModule: (module) => beginnings(module.split('/'), '/') },
  modulesOf: ({ name, folder }, { path, package: declared }) => {
    if (declared === 'main') return noModules;
    const inside = posix.relative(folder, folderOf(path));
    return { own: inside === '' ? name : `${name}/${inside}`, through: [] };
  },
};

/** Returns the files of the package in a folder, unless it is that of the importer. */
function filesOfPackage(tree: SourceTree, from: ImportingFile, folder: string): readonly string[] {
  // The tests of a package may be a package of their own in its folder.
  if (folder === folderOf(from.path) && from.package?.endsWith('_test') !== true) return [];
  return tree.inFolder(folder).filter((file) => file.endsWith('.go') && !file.endsWith('_test.go'));
}

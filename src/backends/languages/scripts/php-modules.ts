import { bySuffix, firstKnown } from '../modules/find-files.ts';
import type { ModuleRules } from '../modules/module-rules.ts';
import { beginnings, folderOf, joinPath } from '../modules/paths.ts';

const letters = (name: string): string => name.toLowerCase().replaceAll(/[-_.]+/g, '');

/** The rules of modules for PHP. */
export const phpModules: ModuleRules = {
  filesOf: (tree, from, { source, name }) => {
    if (name === '*') {
      const path = source.replace(/^\//, '');
      const beside = firstKnown(tree, [joinPath(folderOf(from.path), path)]);
      return beside.length > 0 ? beside : bySuffix(tree, from, path);
    }
    const found = tree.defining(tree.inPackage('php', source), name ?? '');
    return found.length > 0 || source === ''
      ? found
      : bySuffix(tree, from, `${source.split('\\').at(-1)}/${name}.php`);
  },
  packages: {
    ecosystem: 'composer',
    keyOf: letters,
    idOf: (name) => name.toLowerCase(),
    // A namespace has the words of the package after the vendor, and may have others before them.
    keysOfModule: (module) => {
      const [vendor = '', ...words] = module.split('\\').slice(0, 5);
      const names = [...beginnings(words, ''), ...words];
      return [...new Set(names.map((name) => letters(`${vendor}/${name}`)))];
    },
  },
  modulesOf: (_provided, { package: declared }) => ({ own: declared, through: [] }),
};

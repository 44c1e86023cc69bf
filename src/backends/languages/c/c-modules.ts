import { bySuffix, firstKnown } from '../modules/find-files.ts';
import type { ModuleRules } from '../modules/module-rules.ts';
import { folderOf, joinPath } from '../modules/paths.ts';

/** The rules of modules for C and its descendants: a header leads to the source file beside it, too. */
export const cModules: ModuleRules = {
  filesOf: (tree, from, { source }) => {
    const beside = firstKnown(tree, [joinPath(folderOf(from.path), source)]);
    const found = beside.length > 0 ? beside : bySuffix(tree, from, source);
    return found.flatMap((path) => {
      const stem = path.replace(/\.\w+$/, '');
      const sources = ['c', 'cc', 'cpp', 'cxx'].map((ending) => `${stem}.${ending}`);
      return [
        path,
        ...firstKnown(
          tree,
          sources.filter((each) => each !== path),
        ),
      ];
    });
  },
};

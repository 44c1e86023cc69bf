import { bySuffix, firstKnown } from '../modules/find-files.ts';
import type { ModuleRules } from '../modules/module-rules.ts';
import { beginnings, dashed, folderOf, joinPath } from '../modules/paths.ts';

/** The rules of modules for Ruby. */
export const rubyModules: ModuleRules = {
  filesOf: (tree, from, { source }) => {
    const file = source.endsWith('.rb') ? source : `${source}.rb`;
    const beside = firstKnown(tree, [joinPath(folderOf(from.path), file)]);
    if (beside.length > 0) return beside;
    return source.startsWith('.') ? [] : bySuffix(tree, from, `lib/${file}`);
  },
  packages: {
    ecosystem: 'gem',
    keyOf: dashed,
    keysOfModule: (module) =>
      module.startsWith('.') ? [] : beginnings(module.split('/'), '-').map((name) => dashed(name)),
  },
};

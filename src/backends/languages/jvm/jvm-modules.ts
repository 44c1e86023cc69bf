import { nearestTo } from '../modules/find-files.ts';
import type { ImportingFile, ModuleRules, SourceTree } from '../modules/module-rules.ts';
import { beginnings, folderOf, joinPath } from '../modules/paths.ts';

/** The rules of modules for Java, Kotlin and Scala. */
export const jvmModules: ModuleRules = {
  filesOf: (tree, from, { source, name }) => {
    const path = joinPath(source.replaceAll('.', '/'), name === undefined || name === '*' ? '' : name);
    const files = filesOfClass(tree, from, path);
    if (files.length > 0) return files;
    if (name === '*') return tree.inPackage('java', source);
    // A nested class, or a member of one, is in the file of the outer one.
    for (let outer = folderOf(path); outer !== ''; outer = folderOf(outer)) {
      const found = filesOfClass(tree, from, outer);
      if (found.length > 0 || !isType.test(outer)) return found;
    }
    return [];
  },
  packages: {
    ecosystem: 'maven',
    // The artifact does not occur in imports.
    keyOf: (name) => name.split(':', 1)[0]!,
    keysOfModule: (module) => beginnings(module.split('.'), '.'),
  },
  modulesOf: (_provided, { package: declared }) => ({ own: declared, through: [] }),
};

/** Matches a path that ends with the name of a type. */
const isType = /(?:^|\/)[A-Z]\w*$/;

/** Returns the files of Kotlin whose functions Java finds in a class: `Jobs.kt` for `JobsKt`. */
export function filesOfFunctions(name: string): readonly string[] {
  return name.endsWith('Kt') ? [`${name.slice(0, -2)}.kt`] : [];
}

/** Returns the files of a class, or of a function outside of classes, by its path. */
function filesOfClass(tree: SourceTree, from: ImportingFile, path: string): readonly string[] {
  const files = nearestTo(from, tree.endingWith(`${path}.java`));
  if (files.length > 0) return files;
  // Only in Java has the file the name of its class.
  const declared = tree.inPackage('java', folderOf(path).replaceAll('/', '.'));
  const name = path.slice(path.lastIndexOf('/') + 1);
  const defining = tree.defining(declared, name);
  if (defining.length > 0) return defining;
  const ends = filesOfFunctions(name);
  return declared.filter((each) => ends.some((end) => `/${each}`.endsWith(`/${end}`)));
}

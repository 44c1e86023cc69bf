import type { ModuleRules, ResolvedImport, SourceTree } from '../modules/module-rules.ts';
import { beginnings, folderOf } from '../modules/paths.ts';
import type { ImportedName } from '../outline.ts';

/** The rules of modules for C#. */
export const csharpModules: ModuleRules = {
  filesOf: (tree, _from, imported) => filesOf(tree, imported),
  sharedImports: (tree, path) =>
    [...importsOfFiles(tree, path), ...importsOfProject(tree, path)].map(
      (imported): ResolvedImport => ({ imported, paths: filesOf(tree, imported) }),
    ),
  packages: {
    ecosystem: 'nuget',
    keyOf: (name) => name.toLowerCase(),
    idOf: (name) => name.toLowerCase(),
    keysOfModule: (module) => beginnings(module.toLowerCase().split('.'), '.'),
  },
};

function filesOf(tree: SourceTree, { source, name }: ImportedName): readonly string[] {
  const declared = tree.inPackage('csharp', source);
  if (name !== '*') return tree.defining(declared, name ?? '');
  if (declared.length > 0) return declared;
  // The members of a type are imported: `using static Acme.Core.Jobs`.
  const dot = Math.max(source.lastIndexOf('.'), 0);
  return tree.defining(tree.inPackage('csharp', source.slice(0, dot)), source.slice(dot + 1));
}

/** The usual names of files with `global using`, which hold in the folders below. */
const globalUsings = ['GlobalUsings.cs', 'GlobalUsing.cs', 'Usings.cs', 'Globals.cs'];

function importsOfFiles(tree: SourceTree, path: string): readonly ImportedName[] {
  const isAround = (folder: string): boolean => folder === '' || path.startsWith(`${folder}/`);
  return globalUsings
    .flatMap((name) => tree.endingWith(name))
    .filter((each) => each !== path && isAround(folderOf(each)))
    .flatMap((each) => tree.get(each)?.imports ?? []);
}

/** Returns the imports of the project around a file: `<Using Include="Acme.Core" />`. */
function importsOfProject(tree: SourceTree, path: string): readonly ImportedName[] {
  return tree.roots
    .find('dotnet', path, 'using', (place) => [place])
    .map((source) => ({ source, name: '*', local: undefined, line: 0 }));
}

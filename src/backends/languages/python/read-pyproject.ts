import { parse } from 'smol-toml';
import { LineFinder, type ReadManifest } from '../manifests/manifest.ts';
import { readTable } from '../manifests/read-table.ts';
import { tableOf, textOf, textsOf } from '../manifests/values.ts';
import { readRequirement } from './read-requirements.ts';
import { rootsOfProject } from './source-folders.ts';

/** Reads `pyproject.toml`: the standard tables and those of Poetry. */
export const readPyproject: ReadManifest = (text, path) => {
  const read = tableOf(parse(text));
  const [project, poetry] = [tableOf(read['project']), tableOf(tableOf(read['tool'])['poetry'])];
  const lines = new LineFinder(text);
  const lists = [
    project['dependencies'],
    ...Object.values(tableOf(project['optional-dependencies'])),
    ...Object.values(tableOf(read['dependency-groups'])),
  ];
  const required = lists.flatMap(textsOf).flatMap((each) => {
    const asked = readRequirement(each, 0);
    return asked === undefined ? [] : [{ ...asked, line: lines.find(each) }];
  });
  const groups = Object.values(tableOf(poetry['group'])).map((group) => tableOf(group)['dependencies']);
  const tables = [poetry['dependencies'], poetry['dev-dependencies'], ...groups];
  const asks = tables.flatMap((each) => readTable(each, lines)).filter((asked) => asked.name !== 'python');
  return {
    provides: textOf(project['name']) ?? textOf(poetry['name']),
    asks: [...required, ...asks],
    roots: rootsOfProject(path, foldersOf(tableOf(read['tool']))),
  };
};

/** Returns the folders of packages by name, or of all packages, as setuptools and Poetry write them. */
function foldersOf(tool: Readonly<Record<string, unknown>>): readonly (readonly [string, string])[] {
  const { 'package-dir': byName, packages } = tableOf(tool['setuptools']);
  const included = tableOf(tool['poetry'])['packages'];
  const from = (Array.isArray(included) ? included : []).map((each) => tableOf(each)['from']);
  const folders = [...textsOf(tableOf(tableOf(packages)['find'])['where']), ...textsOf(from)];
  const named = Object.entries(tableOf(byName)).map(
    ([name, folder]) => [name, textOf(folder) ?? ''] as const,
  );
  return [...named, ...folders.map((folder) => ['', folder] as const)];
}

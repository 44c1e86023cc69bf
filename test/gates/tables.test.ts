import { globSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');

interface PartRule {
  readonly name: string;
  readonly from: { readonly path: string };
  readonly to: { readonly pathNot: readonly string[] };
}
const { forbidden } = createRequire(import.meta.url)(join(root, '.dependency-cruiser.cjs')) as {
  readonly forbidden: readonly PartRule[];
};
const parts = forbidden.filter(({ name }) => name.startsWith('only-table-'));

/** The file that declares each table. */
const owners = new Map(
  globSync('src/{features,backends,foundation}/**/tables.ts', { cwd: root }).flatMap((file) => {
    const declared = /interface \w*Tables \{([^}]*)\}/.exec(read(file))?.[1] ?? '';
    return [...declared.matchAll(/^\s+(\w+):/gm)].map(([, table = '']) => [table, file] as const);
  }),
);

/** Plain SQL that asks which rows of the features above refer to a connection. */
const exceptions = ['src/features/githosts/githost-users.ts'];

const featureOf = (file: string): string | undefined => /^src\/features\/[^/]+\//.exec(file)?.[0];

/** Returns whether a table belongs to the feature of a file, or to a part that the file may import. */
function mayUse(file: string, declaring: string): boolean {
  if (featureOf(file) !== undefined && featureOf(file) === featureOf(declaring)) return true;
  const part = parts.find(({ from }) => new RegExp(from.path).test(file));
  const groups = part === undefined ? null : new RegExp(part.from.path).exec(file);
  const allowed = part?.to.pathNot.map((path) =>
    path.replaceAll(/\$(\d)/g, (_, n) => groups?.[Number(n)] ?? ''),
  );
  return allowed?.some((path) => new RegExp(path).test(declaring)) === true;
}

/** Returns the tables that the queries of a program name. */
function tablesIn(text: string): readonly string[] {
  const inBuilder = /\b(?:selectFrom|insertInto|updateTable|deleteFrom|\w*[jJ]oin)\(\s*'(\w+)/g;
  const inSql = /\b(?:from|join|into|update)\s+(\w+)/g;
  const names = [...text.matchAll(inBuilder), ...text.matchAll(inSql)].map(([, name = '']) => name);
  return [...new Set(names)].filter((name) => owners.has(name));
}

it('a feature queries only tables of parts that it may import', () => {
  expect(owners.size).toBeGreaterThan(30);
  const files = globSync('src/{features,surfaces}/**/*.ts', { cwd: root }).filter(
    (file) => !file.endsWith('.test.ts') && !exceptions.includes(file),
  );
  const wrong = files.flatMap((file) =>
    tablesIn(read(file))
      .filter((table) => !mayUse(file, owners.get(table) ?? ''))
      .map((table) => `${file}: ${table}`),
  );
  expect(wrong).toEqual([]);
});

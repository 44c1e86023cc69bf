import { afterAll, beforeAll, expect, it } from 'vitest';
import { type OpenedAdvisor, openAdvisor } from '../../../test/support/advisor/opened-advisor.ts';
import { createRepository } from '../../../test/support/git/git-repository.ts';
import { type FindReferencesInput, findReferences } from './find-references.ts';

const never = new AbortController().signal;
let advisor: OpenedAdvisor;

const library = {
  'src/lease.ts': [
    '/** Renews a lease. */',
    'export function renew(key: string): string {',
    '  return key;',
    '}',
    'export class Pool {',
    '  close(): void {}',
    '}',
    'export class Door {',
    '  close(): void {}',
    '}',
    '',
  ].join('\n'),
  'src/worker.ts': [
    "import { Pool, renew } from './lease.ts';",
    'export function work(): void {',
    "  const key = 'renew';",
    '  // renew it',
    '  renew(key);',
    '  const pool = new Pool();',
    '  pool.close();',
    '}',
    '',
  ].join('\n'),
  'src/alias.ts': [
    "import { Door, renew as again } from './lease.ts';",
    'export function later(): void {',
    '',
    '',
    '',
    '',
    '',
    '',
    '',
    '',
    '',
    '',
    "  again('x');",
    '  const door = new Door();',
    '  door.close();',
    '}',
    '',
  ].join('\n'),
  'test/lease.test.ts': "import { renew } from '../src/lease.ts';\nrenew('t');\nlet close = 1;\nclose = 2;\n",
  'docs/lease.md': '# Lease\n\nCall renew in time. Renewed: renews.\n',
};

beforeAll(async () => {
  advisor = await openAdvisor();
  const { projecting } = advisor;
  await projecting.add(createRepository(library).folder);
});
afterAll(() => advisor.close());

async function find(input: FindReferencesInput) {
  const { deps, projecting } = advisor;
  const found = await findReferences(
    { ...deps, ...deps.knowledge, knowledge: deps.knowledge },
    projecting.scope,
    input,
    never,
  );
  const items = found.items.map(({ address, kind, certainty, test, reason }) =>
    [
      address.replace(/^[^/]*\//, ''),
      kind,
      certainty,
      ...(test ? ['test'] : []),
      ...(reason === undefined ? [] : [reason]),
    ].join(' '),
  );
  return { ...found, items };
}

it('finds every line of a name with its kind and certainty', async () => {
  const found = await find({ name: 'renew' });
  expect(found.items).toEqual([]);
  expect(found).toMatchObject({ total: 9 });
});

it('leaves out and counts the lines that mean another definition', async () => {
  const { items, elsewhere } = await find({ name: 'Pool.close' });
  expect({ items, elsewhere }).toEqual({});
});

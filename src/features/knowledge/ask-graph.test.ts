import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { edge, node, ours, unit } from '../../../test/support/graph/graph-facts.ts';
import { emptyKnowledge } from '../../../test/support/graph/opened-graph.ts';
import { silentLog } from '../../../test/support/silent-log.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { derivedSchemas } from '../../app/open/open-database.ts';
import { openGraphReader } from '../../backends/graph/sql/open-graph-reader.ts';
import { openGraphWriter } from '../../backends/graph/sql/open-graph-writer.ts';
import { type DerivedDatabase, openDerived } from '../../foundation/db/derived/open-derived.ts';
import { relatedEntities } from './ask-graph.ts';

let derived: DerivedDatabase;
const called = node('symbol:r1:pool.ts#Pool.close/method', 'close');
const [sure, further, ...unsure] = ['sure', 'further', 'first', 'second', 'third'].map((name) =>
  node(`symbol:r1:${name}.ts#${name}/function`, name),
);

beforeAll(async () => {
  const file = join(temporaryFolder(), 'graph.db');
  derived = await openDerived({ dialect: 'sqlite', file }, derivedSchemas, silentLog);
  await openGraphWriter(derived).replaceUnits(ours, [
    unit('file:r1:pool.ts', {
      nodes: [called, sure!, further!, ...unsure],
      edges: [
        // A store orders them by the numbers of their nodes.
        ...unsure.map(({ key }) => edge(key, 'calls', called.key, 10, 'candidates')),
        edge(sure!.key, 'calls', called.key, 90, 'imported'),
        edge(further!.key, 'calls', sure!.key, 90, 'imported'),
        edge(further!.key, 'calls', unsure[0]!.key, 10, 'candidates'),
      ],
    }),
  ]);
});
afterAll(() => derived.close());

async function callersOf(limit: number, depth: 1 | 2) {
  const repositoryNames = async () => new Map([['r1', 'service']]);
  const deps = { ...emptyKnowledge, graph: openGraphReader(derived), repositoryNames };
  const question = { entity: called.key, direction: 'in', kinds: ['calls'], depth, limit } as const;
  return relatedEntities(deps, ours, question, new AbortController().signal);
}

it('lists certain callers before possible ones, and counts both', async () => {
  const { edges, certain, possible, truncated } = await callersOf(10, 1);
  expect(edges.map(({ from, certainty }) => [from, certainty])).toEqual([
    [sure!.key, 'certain'],
    ...unsure.map(({ key }) => [key, 'possible']),
  ]);
  expect({ certain, possible, truncated }).toEqual({ certain: 1, possible: 3, truncated: false });
});

it('limits possible callers apart from certain ones', async () => {
  const { certain, possible, truncated } = await callersOf(2, 1);
  expect({ certain, possible, truncated }).toEqual({ certain: 1, possible: 2, truncated: true });
});

it('follows certain calls only', async () => {
  const { edges } = await callersOf(10, 2);
  const followed = edges.filter(({ from }) => from === further!.key);
  expect(followed.map(({ to }) => to)).toEqual([sure!.key]);
});

import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../../../test/support/database/databases.ts';
import { file, issue, ours, unit } from '../../../../test/support/graph/graph-facts.ts';
import { type OpenedTestGraph, openTestGraph } from '../../../../test/support/graph/opened-graph.ts';
import type { SourceCommit } from '../../../backends/codesearch/port.ts';
import type { SubGraph, Traversal } from '../../../backends/graph/port.ts';
import { commitKey } from '../links/keys.ts';
import { neighboursOfCommit } from './commit-neighbours.ts';
import { findEntityOrCommit } from './find-commit.ts';
import { openVisibleGraph } from './visible-graph.ts';

let database: TestDatabase;
let graph: OpenedTestGraph;
const { signal } = new AbortController();
const longPath = `src/${'a'.repeat(700)}.ts`;
const someone = { name: 'Ada', email: 'ada@example.com' };

beforeAll(async () => {
  database = await openTestDatabase('sqlite');
  graph = await openTestGraph(database);
  const files = Array.from({ length: 130 }, (_, index) => file(`src/${index}.ts`, [`symbol${index}`]));
  files.push(file(longPath, []));
  const issues = [issue('1', 'ENG-1'), issue('2', 'ENG-2'), issue('3', 'ENG-2')];
  await graph.writer.replaceUnits(ours, [
    ...files,
    ...issues,
    file('src/user.ts', ['use'], ['symbol:r1:src/0.ts#symbol0/function']),
  ]);
});
afterAll(async () => {
  await graph?.close();
  await database?.close();
});

function commitOf(digit: string, message: string, more: Partial<SourceCommit> = {}): SourceCommit {
  const paths = ['src/0.ts', 'src/1.ts', 'src/gone.ts'];
  const id = digit.repeat(40);
  return {
    id,
    time: 1_795_419_421,
    author: someone,
    committer: someone,
    message,
    paths,
    changed: 3,
    ...more,
  };
}

/** Returns the neighbours of a commit as read from Git, and after the graph has it. */
async function bothOf(
  commit: SourceCommit,
  traversal: Omit<Traversal, 'from'>,
): Promise<readonly SubGraph[]> {
  const key = commitKey('r1', commit.id);
  const sources = { findCommits: async () => [commit], readFile: async () => undefined };
  const repositoryNames = async () => new Map([['r1', 'service']]);
  const mirroredConnections = async () => new Set<string>();
  const deps = { graph: graph.graph, sources, records: [], repositoryNames, mirroredConnections };
  const view = await openVisibleGraph(deps, ours);
  const place = { view, sources, scope: ours, signal };
  const { node, facts } = await findEntityOrCommit(place, key);
  if (facts === undefined) throw new Error('the graph has the commit');
  const read = await neighboursOfCommit(view.graph, ours, { node, facts }, traversal);
  await graph.writer.replaceUnits(ours, [unit(key, facts, { revision: commit.id })]);
  const stored = await view.graph.neighbours(ours, { ...traversal, from: [key] });
  const { node: known } = await findEntityOrCommit(place, key);
  expect(node).toEqual(known);
  await graph.writer.removeUnits(ours, [key]);
  return [read, stored].map(({ nodes, edges, truncated }) => ({
    nodes: nodes.toSorted((a, b) => (a.key < b.key ? -1 : 1)),
    edges: edges.toSorted((a, b) => (`${a.kind} ${a.to}` < `${b.kind} ${b.to}` ? -1 : 1)),
    truncated,
    freshness: { store: 'sql', sequence: 0 },
  }));
}

const wide: Omit<Traversal, 'from'> = { direction: 'both', depth: 1, perNode: 500, limit: 500 };

it.each([
  [
    'issues, of which one name is ambiguous, and a pull request',
    commitOf('1', 'Fix ENG-1 (#3)\n\nSee ENG-2 and ENG-9.'),
  ],
  ['a merge', commitOf('2', 'Merge pull request #12 from acme/eng-1-fix\n\nClose the pool')],
  [
    'a person who is author, committer and co-author',
    commitOf('3', `Fix\n\nCo-authored-by: Ada <ada@example.com>`),
  ],
  [
    'long texts',
    commitOf('4', `${'long '.repeat(200)}ENG-1`, { author: { name: 'A'.repeat(900), email: 'a@b.c' } }),
  ],
  ['long paths', commitOf('5', 'Add', { paths: ['src/0.ts', longPath, `src/${'ü'.repeat(1_000)}.ts`] })],
  ['more paths than are linked', commitOf('6', 'Import', { changed: 1_200 })],
  ['an empty message', commitOf('7', '', { committer: { name: 'Bot', email: 'noreply@example.com' } })],
])('connects a commit that only Git has as the graph connects it: %s', async (_title, commit) => {
  const [read, stored] = await bothOf(commit, wide);
  expect(read).toEqual(stored);
  expect(read?.nodes.length).toBeGreaterThan(2);
});

it.each([
  { depth: 2, kinds: ['touches', 'defines'] },
  { depth: 3, kinds: ['touches', 'defines', 'calls'] },
  { depth: 2, direction: 'out' },
  { direction: 'in' },
  { kinds: ['mentions'] },
] as const)('follows the same edges: %j', async (traversal) => {
  const [read, stored] = await bothOf(commitOf('8', 'Touch ENG-1'), { ...wide, ...traversal });
  expect(read).toEqual(stored);
});

it('says that a limit left something out', async () => {
  const paths = Array.from({ length: 120 }, (_, index) => `src/${index}.ts`);
  const commit = commitOf('9', 'Touch many', { paths, changed: 120 });
  for (const limit of [{ perNode: 100 }, { limit: 40 }]) {
    const [read, stored] = await bothOf(commit, { ...wide, ...limit });
    expect([read?.truncated, read?.nodes.length]).toEqual([true, stored?.nodes.length]);
  }
});

import { dirname, join } from 'node:path';
import { type KyselyPlugin, sql } from 'kysely';
import { afterAll, expect, it } from 'vitest';
import { derivedSchemas } from '../../../src/app/open/open-database.ts';
import type { Neo4jClient } from '../../../src/backends/graph/neo4j/neo4j-client.ts';
import { openNeo4jReader } from '../../../src/backends/graph/neo4j/open-neo4j-reader.ts';
import { openGraphFeed } from '../../../src/backends/graph/sql/open-graph-feed.ts';
import { openGraphReader } from '../../../src/backends/graph/sql/open-graph-reader.ts';
import { openGraphWriter } from '../../../src/backends/graph/sql/open-graph-writer.ts';
import { type DerivedDatabase, openDerived } from '../../../src/foundation/db/derived/open-derived.ts';
import type { OrganizationId } from '../../../src/foundation/kernel/ids.ts';
import { describeEachDatabase, itWhen, type OpenTestDatabase } from '../../support/database/databases.ts';
import { dumpGraph } from '../../support/graph/dump-graph.ts';
import { edge, file, issue, mention, node, ours, theirs, unit } from '../../support/graph/graph-facts.ts';
import { countLoopTurns } from '../../support/loop-turns.ts';
import { silentLog } from '../../support/silent-log.ts';
import { describeGraph } from './graph.ts';

describeEachDatabase('the graph', (open, dialect) => {
  const opened: DerivedDatabase[] = [];
  afterAll(async () => {
    for (const derived of opened) await derived.close();
  });
  const openStore = async (openDatabase: OpenTestDatabase): Promise<DerivedDatabase> => {
    const { options } = await openDatabase({ empty: true });
    const derived = await openDerived(
      options.dialect === 'sqlite'
        ? { dialect: 'sqlite', file: join(dirname(options.file), 'graph.db') }
        : options,
      derivedSchemas,
      silentLog,
    );
    opened.push(derived);
    return derived;
  };

  describeGraph(dialect, async () => {
    const derived = await openStore(open);
    return {
      store: 'sql',
      writer: openGraphWriter(derived),
      reader: openGraphReader(derived),
      settle: async () => {},
    };
  });

  it('finds all uses of a name while one of them is changed', async () => {
    const derived = await openStore(open);
    const writer = openGraphWriter(derived);
    const callers = Array.from({ length: 1_500 }, (_, index) => `symbol:r1:callers.ts#c${index}/function`);
    const targets = ['one', 'two'].map((name) => `symbol:r1:${name}.ts#run/function`);
    const facts = (rule: string) => ({
      nodes: callers.map((key) => node(key, 'caller')),
      edges: targets.flatMap((to, target) =>
        callers.map((from, index) => edge(from, 'calls', to, 100, target + index === 0 ? rule : 'rule')),
      ),
    });
    await writer.replaceUnits(ours, [
      ...targets.map((key) => unit(key.replace(/^symbol:(.*)#.*/, 'file:$1'), { nodes: [node(key, 'run')] })),
      unit('file:r1:callers.ts', facts('former')),
    ]);
    let isChanged = false;
    const plugin: KyselyPlugin = {
      transformQuery: ({ node: query }) => query,
      transformResult: async ({ result }) => {
        const [row] = result.rows;
        if (isChanged || row?.['reason'] === undefined) return result;
        isChanged = true;
        await writer.replaceUnits(ours, [unit('file:r1:callers.ts', facts('other'), { revision: 'v2' })]);
        return result;
      },
    };
    const reader = openGraphReader({ ...derived, queries: derived.queries.withPlugin(plugin) });
    const { edges, truncated } = await reader.uses(ours, { name: 'run', isPlaced: () => true });
    expect([isChanged, edges.length, truncated]).toEqual([true, 2 * callers.length, false]);
    expect(edges.filter(({ rule }) => rule === 'other')).toHaveLength(1);
  });

  it('lets other work of the process run between transactions', async () => {
    const writer = openGraphWriter(await openStore(open));
    const turns = countLoopTurns();
    await writer.replaceUnits(
      ours,
      Array.from({ length: 1_000 }, (_, index) => file(`${index}.ts`, [])),
    );
    expect(turns.count).toBeGreaterThanOrEqual(5);
    const written = turns.count;
    await writer.removeRepository(ours, 'r1');
    expect(turns.count - written).toBeGreaterThanOrEqual(5);
    turns.stop();
  });

  it('has the same dump after it is built again in another order, or after changes are taken back', async () => {
    const units = [
      file('a.ts', ['alpha', 'other'], ['symbol:r1:b.ts#beta/function']),
      file('b.ts', ['beta'], ['symbol:r1:a.ts#alpha/function']),
      issue('i1', 'ENG-1'),
      issue('i2', 'ENG-1'),
      unit('commit:r1:c', {
        nodes: [node('commit:r1:c', 'c'), node('person:git:1', 'Ada', { login: 'ada' })],
        edges: [edge('commit:r1:c', 'authored_by', 'person:git:1')],
        mentions: [mention('commit:r1:c', 'closes', 'ENG-1'), mention('commit:r1:c', 'closes', 'ENG-404')],
      }),
      unit('commit:r1:d', { nodes: [node('person:git:1', 'A', { team: 'x' })] }),
    ];
    const derived = await openStore(open);
    const writer = openGraphWriter(derived);
    await writer.replaceUnits(theirs, units);
    for (const late of units.toReversed()) await writer.replaceUnits(ours, [late]);
    const dump = await dumpGraph(derived, theirs.organizationId);
    expect(dump.length).toBeGreaterThan(30);
    expect(await dumpGraph(derived, ours.organizationId)).toEqual(dump);
    const changed = units.map(({ facts, ...rest }) =>
      unit(
        rest.owner,
        { ...facts, edges: facts.edges.slice(1), nodes: facts.nodes.slice(1) },
        { revision: 'v2' },
      ),
    );
    await writer.replaceUnits(ours, [...changed, issue('i3', 'ENG-404')]);
    await writer.removeUnits(ours, ['file:context:i3', 'file:r1:a.ts']);
    expect(await dumpGraph(derived, ours.organizationId)).not.toEqual(dump);
    await writer.replaceUnits(ours, units);
    expect(await dumpGraph(derived, ours.organizationId)).toEqual(dump);
  });

  it('counts an edge once that one transaction asserts and resolves a mention to', async () => {
    const derived = await openStore(open);
    const [writer, reader] = [openGraphWriter(derived), openGraphReader(derived)];
    const count = async (): Promise<number> => (await reader.stats(ours)).edges;
    const [from, to] = ['commit:r1:both', 'issue:c1:both'];
    const alias = edge('alias:BOTH-1', 'alias_of', to);
    const nodes = [node(from, 'both'), node(to, 'both'), node('alias:BOTH-1', 'BOTH-1')];
    const edges = [edge(from, 'closes', to), alias];
    await writer.replaceUnits(ours, [
      unit('both', { nodes, edges, mentions: [mention(from, 'closes', 'BOTH-1')] }),
    ]);
    expect(await count()).toBe(2);
    await writer.replaceUnits(ours, [unit('both', { nodes, edges: [alias] }, { revision: 'v2' })]);
    expect(await count()).toBe(1);
    await writer.removeUnits(ours, ['both']);
    expect(await count()).toBe(0);
  });

  it('finds a node by its present name alone, also one that an edge named first', async () => {
    const derived = await openStore(open);
    const [writer, reader] = [openGraphWriter(derived), openGraphReader(derived)];
    const late = 'symbol:r1:late.ts#late/function';
    const found = async (text: string): Promise<readonly string[]> =>
      (await reader.search(ours, { text, limit: 20 })).nodes.map(({ name }) => name);
    const names = async () => [await found('formerly'), await found('presently')];
    await writer.replaceUnits(ours, [unit('early', { edges: [edge('file:r1:early', 'calls', late)] })]);
    await writer.replaceUnits(ours, [unit('late', { nodes: [node(late, 'isFormerly')] })]);
    expect(await names()).toEqual([['isFormerly'], []]);
    await writer.replaceUnits(ours, [unit('late', { nodes: [node(late, 'isPresently')] })]);
    expect(await names()).toEqual([[], ['isPresently']]);
  });

  it('leaves no row behind when everything is removed', async () => {
    const derived = await openStore(open);
    const writer = openGraphWriter(derived, { outbox: true });
    const units = [file('a.ts', ['alpha'], ['symbol:r1:b.ts#beta/function']), issue('i1', 'ENG-1')];
    const commit = unit('c', {
      nodes: [node('commit:r1:c', 'c')],
      mentions: [mention('commit:r1:c', 'closes', 'ENG-1'), mention('commit:r1:c', 'closes', 'ENG-2')],
    });
    await writer.replaceUnits(ours, [...units, commit]);
    await writer.removeRepository(ours, 'r1');
    expect(await dumpGraph(derived, ours.organizationId)).toEqual(['{"what":"edges","edges":0}']);
  });

  itWhen(dialect === 'sqlite')('takes few bytes for each edge, its nodes included', async () => {
    const derived = await openStore(open);
    const id = (n: number): string => `01939393-0000-7000-8000-${String(n).padStart(12, '0')}`;
    const scope = { organizationId: id(1) as OrganizationId, orgSlug: 'ours' };
    const path = (n: number): string => `src/features/part${n % 7}/file-with-a-name-${n}.ts`;
    const symbol = (n: number, one: number): string => `symbol:${id(2)}:${path(n)}#Type.method${one}/method`;
    const units = Array.from({ length: 100 }, (_, n) => {
      const key = `file:${id(2)}:${path(n)}`;
      const own = Array.from({ length: 10 }, (_one, index) => index);
      const lines = { kind: 'method', path: path(n), startLine: n, endLine: n + 5 };
      const nodes = own.map((one) =>
        node(symbol(n, one), `method${one}`, { ...lines, qualifiedName: `Type.method${one}` }),
      );
      const calls = own.flatMap((one) =>
        own.slice(0, 5).map((other) => ({
          ...edge(symbol(n, one), 'calls', symbol((n * 7 + other) % 100, one), 90, 'imported'),
          evidence: `line ${n + other}`,
        })),
      );
      return unit(
        key,
        { nodes: [node(key, path(n), { path: path(n) }), ...nodes], edges: calls },
        { repositoryId: id(2) },
      );
    });
    await openGraphWriter(derived).replaceUnits(scope, units);
    const { edges } = await openGraphReader(derived).stats(scope);
    const { rows } = await sql<{ bytes: number }>`
      select page_count * page_size as bytes from pragma_page_count, pragma_page_size`.execute(
      derived.queries,
    );
    expect((rows[0]?.bytes ?? 0) / edges).toBeLessThan(120);
  });

  itWhen(dialect === 'sqlite')('resolves 10,000 mentions of one name in one transaction', async () => {
    const derived = await openStore(open);
    const writer = openGraphWriter(derived);
    const commits = Array.from({ length: 10_000 }, (_, index) => `commit:r1:${index}`);
    await writer.replaceUnits(ours, [
      unit('log', {
        nodes: commits.map((key) => node(key, key)),
        mentions: commits.map((key) => mention(key, 'closes', 'ENG-1')),
      }),
    ]);
    await writer.replaceUnits(ours, [issue('i1', 'ENG-1')]);
    const reader = openGraphReader(derived);
    const traversal = { from: ['issue:c1:i1'], direction: 'in', depth: 2, perNode: 100, limit: 200 } as const;
    const answer = await reader.neighbours(ours, traversal);
    expect([answer.nodes.length, answer.truncated]).toEqual([101, true]);
    expect((await reader.stats(ours)).edges).toBe(10_001);
  });

  it('reports that another version rebuilds it, instead of an internal error', async () => {
    const derived = await openStore(open);
    await derived.queries.updateTable('derived_version').set({ version: 'graph 99' }).execute();
    await expect(openGraphWriter(derived).replaceUnits(ours, [issue('i1', 'E-1')])).rejects.toMatchObject({
      code: 'graph_rebuilding',
    });
    const edges = dialect === 'postgres' ? 'graph.graph_organizations' : 'graph_organizations';
    await sql.raw(`drop table ${edges}`).execute(derived.queries);
    const failed = { code: 'graph_rebuilding', status: 503 };
    const reader = openGraphReader(derived);
    await expect(reader.get(ours, ['file:r1:a'])).rejects.toMatchObject(failed);
    const client = { read: () => Promise.reject(new Error('not asked')) } as unknown as Neo4jClient;
    const feed = openGraphFeed(derived);
    const copied = openNeo4jReader({ client, feed, sql: reader, clock: () => 0, log: silentLog });
    await expect(copied.get(ours, ['file:r1:a'])).rejects.toMatchObject(failed);
  });
});

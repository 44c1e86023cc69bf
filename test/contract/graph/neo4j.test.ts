import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { derivedSchemas, openDerivedDatabase } from '../../../src/app/open/open-database.ts';
import { copyToNeo4j, openNeo4j } from '../../../src/app/open/open-neo4j.ts';
import { copyGraph } from '../../../src/backends/graph/neo4j/copy-graph.ts';
import { type Neo4jClient, openNeo4jClient } from '../../../src/backends/graph/neo4j/neo4j-client.ts';
import { openNeo4jReader } from '../../../src/backends/graph/neo4j/open-neo4j-reader.ts';
import type { GraphReader } from '../../../src/backends/graph/port.ts';
import { openGraphFeed } from '../../../src/backends/graph/sql/open-graph-feed.ts';
import { openGraphReader } from '../../../src/backends/graph/sql/open-graph-reader.ts';
import { openGraphWriter } from '../../../src/backends/graph/sql/open-graph-writer.ts';
import { loadConfig } from '../../../src/foundation/config/load-config.ts';
import { openDerived } from '../../../src/foundation/db/derived/open-derived.ts';
import type { OrgScope } from '../../../src/foundation/kernel/org-scope.ts';
import { edge, file, issue, mention, node, ours, theirs, unit } from '../../support/graph/graph-facts.ts';
import { findNeo4j, type RunningNeo4j, startNeo4j } from '../../support/neo4j/neo4j-server.ts';
import { silentLog } from '../../support/silent-log.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { describeGraph } from './graph.ts';

const { classPath } = await findNeo4j();

describe.skipIf(classPath === undefined)('the graph in a real Neo4j', () => {
  let server: RunningNeo4j;
  const cleanUp = new AsyncDisposableStack();
  beforeAll(async () => {
    server = await startNeo4j(classPath ?? '');
    cleanUp.defer(() => server.kill());
  });
  afterAll(() => cleanUp.disposeAsync());

  const open = async (uri = server.uri, derivedFile = join(temporaryFolder(), 'graph.db')) => {
    const derived = await openDerived({ dialect: 'sqlite', file: derivedFile }, derivedSchemas, silentLog);
    const client = openNeo4jClient({
      uri,
      user: 'neo4j',
      password: undefined,
      database: undefined,
      readTimeoutMs: 60_000,
    });
    cleanUp.defer(() => client.close());
    cleanUp.defer(() => derived.close());
    const feed = openGraphFeed(derived);
    const sql = openGraphReader(derived);
    let now = 0;
    const reader = openNeo4jReader({ client, feed, sql, clock: () => now, log: silentLog });
    return {
      client,
      derived,
      feed,
      sql,
      reader,
      writer: openGraphWriter(derived, { outbox: true }),
      copy: (options = {}, scope = ours) => copyGraph(client, feed, scope, options),
      /** Ends the pause after a failure. */
      resume: () => {
        now += 60_000;
      },
    };
  };

  describeGraph('neo4j', async () => {
    const { writer, reader, copy } = await open();
    const fills = new Map<OrgScope, number>();
    const settle = async () => {
      for (const scope of [ours, theirs]) {
        const { filled } = await copy({ verify: true }, scope);
        fills.set(scope, (fills.get(scope) ?? 0) + (filled ? 1 : 0));
        // Every change after the first copy arrives by the outbox, and the counts agree.
        expect(fills.get(scope)).toBe(1);
      }
    };
    return { store: 'neo4j', writer, reader, settle };
  });

  const key = 'file:r1:f0.ts';
  const answers = async (reader: GraphReader) => {
    const from = [key, 'label:c1:hub'];
    const all = [
      await reader.get(ours, [key, 'alias:ENG-1']),
      await reader.search(ours, { text: 'sym', limit: 7 }),
      await reader.search(ours, { text: 'part', kinds: ['symbol'], limit: 7 }),
      await reader.neighbours(ours, { from, direction: 'both', depth: 3, perNode: 20, limit: 100 }),
      await reader.paths(ours, { from: key, to: 'issue:c1:i1', maxDepth: 6, limit: 9 }),
      await reader.stats(ours),
    ];
    const stores = new Set(all.map(({ freshness }) => freshness.store));
    expect(stores.size).toBe(1);
    return {
      store: [...stores][0],
      values: all.map(({ freshness: { sequence }, ...value }) => ({ ...value, sequence })),
    };
  };
  const units = (count: number, salt = '') => [
    ...Array.from({ length: count }, (_, index) =>
      file(
        `f${index}.ts`,
        [`symPart${index}${salt}`, `other${index}`],
        [`symbol:r1:f${(index + 1) % count}.ts#symPart${(index + 1) % count}${salt}/function`],
      ),
    ),
    issue('i1', 'ENG-1'),
    ...Array.from({ length: count }, (_, index) =>
      unit(`commit:r1:${index}`, {
        nodes: [node(`commit:r1:${index}`, `commit ${index}`), node('label:c1:hub', 'hub')],
        edges: [
          edge(`commit:r1:${index}`, 'touches', `file:r1:f${index}.ts`),
          edge(`commit:r1:${index}`, 'labelled', 'label:c1:hub'),
        ],
        mentions: [mention(`commit:r1:${index}`, 'closes', 'ENG-1')],
      }),
    ),
  ];

  it('answers as SQL does, also where a limit leaves something out', async () => {
    const graph = await open();
    await graph.writer.replaceUnits(ours, units(60));
    await graph.copy();
    const copied = await answers(graph.reader);
    expect(copied.store).toBe('neo4j');
    expect(copied.values).toEqual((await answers(graph.sql)).values);
    expect(copied.values[3]).toMatchObject({ truncated: true });
  });

  it('is not read while changes are missing, and forgets changes that were applied', async () => {
    const graph = await open();
    await graph.writer.replaceUnits(ours, units(5));
    expect((await answers(graph.reader)).store).toBe('sql');
    expect(await graph.copy()).toMatchObject({ filled: true });
    await graph.writer.replaceUnits(ours, units(5, 'b'));
    expect((await answers(graph.reader)).store).toBe('sql');
    expect(await graph.copy()).toMatchObject({ filled: false });
    expect((await answers(graph.reader)).store).toBe('neo4j');
    const left = await graph.derived.queries.selectFrom('graph_outbox').selectAll().execute();
    expect(left).toEqual([]);
  });

  it('is filled anew when the store was rebuilt, or changes were made without an outbox', async () => {
    const former = await open();
    await former.writer.replaceUnits(ours, units(5));
    await former.copy();
    const rebuilt = await open();
    await rebuilt.writer.replaceUnits(ours, units(8));
    expect((await answers(rebuilt.reader)).store).toBe('sql');
    expect(await rebuilt.copy()).toMatchObject({ filled: true });
    await openGraphWriter(rebuilt.derived).replaceUnits(ours, units(8, 'x'));
    await rebuilt.writer.replaceUnits(ours, units(8, 'y'));
    expect(await rebuilt.copy()).toMatchObject({ filled: true });
    const copied = await answers(rebuilt.reader);
    expect(copied).toEqual({ store: 'neo4j', values: (await answers(rebuilt.sql)).values });
  });

  it('runs one copy at a time, and stops one whose lease has ended', async () => {
    const graph = await open();
    await graph.writer.replaceUnits(ours, units(5));
    const other = Promise.withResolvers<void>();
    const feed = {
      ...graph.feed,
      nodesAfter: async (...given: Parameters<typeof graph.feed.nodesAfter>) => {
        const nodes = await graph.feed.nodesAfter(...given);
        // What this copy has read is old by the time it writes.
        await graph.writer.replaceUnits(ours, units(5, 'new'));
        await expect(graph.copy()).rejects.toThrow(/another process/);
        await graph.copy({ leaseMs: 0 });
        other.resolve();
        return nodes;
      },
    };
    await expect(copyGraph(graph.client, feed, ours)).rejects.toThrow(/another process/);
    await other.promise;
    expect(await answers(graph.reader)).toEqual({
      store: 'neo4j',
      values: (await answers(graph.sql)).values,
    });
  });

  it('gives the same answers when it is killed in the middle of a copy, and has equal counts afterwards', async () => {
    const graph = await open();
    await graph.writer.replaceUnits(ours, units(60));
    await graph.copy();
    await graph.writer.replaceUnits(ours, units(60, 'z'));
    const wanted = await answers(graph.sql);
    let batches = 0;
    const client: Neo4jClient = {
      ...graph.client,
      write: async (work) => {
        batches += 1;
        if (batches === 10) await server.kill();
        return graph.client.write(work);
      },
    };
    try {
      await expect(copyGraph(client, graph.feed, ours, { batchSize: 10 })).rejects.toThrow();
      expect(batches).toBeGreaterThanOrEqual(10);
      expect(await answers(graph.reader)).toEqual(wanted);
    } finally {
      await server.restart();
    }
    graph.resume();
    expect(await answers(graph.reader)).toEqual(wanted);
    expect(await graph.copy({ verify: true })).toMatchObject({ filled: true });
    expect(await answers(graph.reader)).toEqual({ store: 'neo4j', values: wanted.values });
  });

  it('continues a copy that was cut off between two batches', async () => {
    const graph = await open();
    await graph.writer.replaceUnits(ours, units(10));
    await graph.copy();
    await graph.writer.replaceUnits(ours, units(10, 'z'));
    await graph.writer.replaceUnits(ours, units(12, 'y'));
    let pages = 0;
    const changesAfter: typeof graph.feed.changesAfter = async (...given) => {
      pages += 1;
      if (pages > 9) throw new Error('cut off');
      return graph.feed.changesAfter(...given);
    };
    const cutOff = copyGraph(graph.client, { ...graph.feed, changesAfter }, ours, { batchSize: 10 });
    await expect(cutOff).rejects.toThrow('cut off');
    expect((await answers(graph.reader)).store).toBe('sql');
    expect(await graph.copy({ verify: true })).toMatchObject({ filled: false });
    expect(await answers(graph.reader)).toEqual({
      store: 'neo4j',
      values: (await answers(graph.sql)).values,
    });
  });

  it('is filled anew when nodes or everything was deleted', async () => {
    const graph = await open();
    await graph.writer.replaceUnits(ours, units(10));
    await graph.copy();
    for (const wipe of ['MATCH (n:GraphNode {name: "hub"}) DETACH DELETE n', 'MATCH (n) DETACH DELETE n']) {
      await graph.client.write((run) => run(wipe));
      expect(await graph.copy({ verify: true })).toMatchObject({ filled: true });
      expect(await graph.copy({ verify: true })).toMatchObject({ filled: false });
      expect(await answers(graph.reader)).toEqual({
        store: 'neo4j',
        values: (await answers(graph.sql)).values,
      });
    }
  });

  it('costs one timeout when it hangs; later it answers again', async () => {
    const graph = await open();
    await graph.writer.replaceUnits(ours, units(5));
    await graph.copy();
    const client = openNeo4jClient({
      uri: server.uri,
      user: 'neo4j',
      password: undefined,
      database: undefined,
      readTimeoutMs: 300,
    });
    cleanUp.defer(() => client.close());
    let requests = 0;
    const counted: Neo4jClient = {
      ...client,
      read: (work) => {
        requests += 1;
        return client.read(work);
      },
    };
    let now = 0;
    const reader = openNeo4jReader({
      client: counted,
      feed: graph.feed,
      sql: graph.sql,
      clock: () => now,
      log: silentLog,
    });
    server.freeze();
    try {
      expect((await answers(reader)).store).toBe('sql');
      expect(requests).toBe(1);
    } finally {
      server.thaw();
    }
    now += 60_000;
    await expect
      .poll(async () => {
        now += 60_000;
        return (await reader.get(ours, [key])).freshness.store;
      })
      .toBe('neo4j');
  });

  it('is followed by the worker and read by the server if GRAPH_DB_URI names it', async () => {
    const folder = temporaryFolder();
    const env = { DATA_DIR: folder, GRAPH_DB_URI: server.uri, AUTH_SECRET: 'x'.repeat(40) };
    const settings = loadConfig({ env, cwd: folder, homeDir: folder });
    const derived = await openDerivedDatabase(settings, 'worker', silentLog);
    const neo4j = await openNeo4j(settings, silentLog);
    const reader = neo4j?.reader(derived, openGraphReader(derived));
    const copying = await copyToNeo4j(settings, derived, silentLog, 50);
    try {
      for (const salt of ['', 'b']) {
        await openGraphWriter(derived, { outbox: true }).replaceUnits(ours, units(5, salt));
        const store = async () => (await reader?.get(ours, [key]))?.freshness.store;
        await expect.poll(store).toBe('neo4j');
      }
    } finally {
      await copying?.stop();
      await neo4j?.close();
      await derived.close();
    }
  });

  it('that refuses every write, as a full disk does, changes no answer', async () => {
    const full = await startNeo4j(classPath ?? '', { readOnly: true });
    cleanUp.defer(() => full.kill());
    const graph = await open(full.uri);
    await graph.writer.replaceUnits(ours, units(5));
    await expect(graph.copy()).rejects.toThrow();
    expect(await answers(graph.reader)).toEqual(await answers(graph.sql));
  });

  it('that does not run at the start changes no answer', async () => {
    const graph = await open('bolt://127.0.0.1:9');
    await graph.writer.replaceUnits(ours, units(5));
    await expect(graph.copy()).rejects.toThrow();
    expect(await answers(graph.reader)).toEqual(await answers(graph.sql));
  });
});

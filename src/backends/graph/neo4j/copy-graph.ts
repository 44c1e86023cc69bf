import { randomUUID } from 'node:crypto';
import type { DataScope } from '../../../foundation/kernel/org-scope.ts';
import type { FeedPosition, GraphFeed } from '../feed.ts';
import { claimState, lockState, readState, releaseState, writeState } from './graph-state.ts';
import type { Neo4jClient } from './neo4j-client.ts';
import { createNeo4jSchema } from './neo4j-schema.ts';
import { missingLinks, writeBatch } from './write-copy.ts';

const defaultBatchSize = 2_000;
const defaultLeaseMs = 60_000;
/** Maximum number of nodes that one transaction deletes. */
const deletionSize = 5_000;

export interface CopyOptions {
  /** Compare the number of nodes and edges afterwards, and fill the organization anew if they differ. */
  readonly verify?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Maximum number of changes, and of nodes of a filled organization, in one transaction. Default: 2,000. */
  readonly batchSize?: number | undefined;
  /** Time after which another process may continue a copy that does nothing. Default: a minute. */
  readonly leaseMs?: number | undefined;
}

export interface CopyResult {
  readonly sequence: number;
  /** True if the organization was filled from the beginning. */
  readonly filled: boolean;
}

/**
 * Applies the changes of an organization to Neo4j. It can be killed at any point and run again; another process may
 * then continue after a minute. An organization of which Neo4j holds nothing, or the copy of a store that was rebuilt,
 * is filled from the beginning.
 */
export async function copyGraph(
  client: Neo4jClient,
  feed: GraphFeed,
  scope: DataScope,
  options: CopyOptions = {},
): Promise<CopyResult> {
  const { signal, batchSize = defaultBatchSize, leaseMs = defaultLeaseMs } = options;
  // A server without state is new, or was emptied together with its indexes.
  if ((await client.write((cypher) => readState(cypher, scope))) === undefined)
    await createNeo4jSchema(client);
  const run: CopyRun = { client, feed, scope, signal, batchSize, token: randomUUID() };
  const applied = await client.write((cypher) => claimState(cypher, scope, { token: run.token, leaseMs }));
  try {
    return await copy(run, applied, options.verify ?? false);
  } finally {
    // Without a connection the lease ends by itself.
    await client.write((cypher) => releaseState(cypher, scope, run.token)).catch(() => {});
  }
}

async function copy(run: CopyRun, applied: FeedPosition | undefined, verify: boolean): Promise<CopyResult> {
  const { feed, scope } = run;
  const { storeId, sequence: latest } = await feed.position(scope);
  const usable =
    applied?.storeId === storeId && applied.sequence <= latest && (await continues(run, applied, latest));
  const start = applied !== undefined && usable ? applied : await fill(run);
  const sequence = await applyChanges(run, start);
  await feed.forget(scope, sequence);
  const filled = start !== applied;
  if (!verify || (await isComplete(run, sequence))) return { sequence, filled };
  return { sequence: await applyChanges(run, await fill(run)), filled: true };
}

interface CopyRun {
  readonly client: Neo4jClient;
  readonly feed: GraphFeed;
  readonly scope: DataScope;
  readonly signal: AbortSignal | undefined;
  readonly batchSize: number;
  readonly token: string;
}

/** Returns whether the outbox holds every change since. It does not if the setting was removed for some time. */
async function continues(
  { feed, scope }: CopyRun,
  { sequence }: FeedPosition,
  latest: number,
): Promise<boolean> {
  if (sequence === latest) return true;
  const [next] = await feed.changesAfter(scope, beforeSequence(sequence + 1), 1);
  return next?.sequence === sequence + 1;
}

function beforeSequence(sequence: number) {
  return { sequence, src: -1, kind: '', dst: -1 };
}

/** Deletes and copies a whole organization. Changes of this time are applied afterwards. */
async function fill({ client, feed, scope, signal, batchSize, token }: CopyRun): Promise<FeedPosition> {
  const { organizationId: org } = scope;
  await client.write(async (run) => {
    await lockState(run, scope, token);
    await writeState(run, scope, undefined);
  });
  for (let deleted = deletionSize; deleted === deletionSize; ) {
    signal?.throwIfAborted();
    deleted = await client.write(async (run) => {
      await lockState(run, scope, token);
      const [row] = await run<{ count: number }>(
        'MATCH (n:GraphNode {org: $org}) WITH n LIMIT $limit DETACH DELETE n RETURN count(*) AS count',
        { org, limit: deletionSize },
      );
      return row?.count ?? 0;
    });
  }
  const position = await feed.position(scope);
  const nothing = { nodes: [], goneNodes: [], edges: [], goneEdges: [] };
  for (const pass of ['nodes', 'edges'] as const) {
    for (let id = 0; ; ) {
      signal?.throwIfAborted();
      const nodes = await feed.nodesAfter(scope, id, batchSize);
      const last = nodes.at(-1);
      if (last === undefined) break;
      id = last.id;
      const batch =
        pass === 'nodes'
          ? { ...nothing, nodes }
          : {
              ...nothing,
              edges: await feed.edgesFrom(
                scope,
                nodes.map((node) => node.id),
              ),
            };
      await client.write(async (run) => {
        await lockState(run, scope, token);
        await writeBatch(run, scope, batch);
      });
    }
  }
  await client.write(async (run) => {
    await lockState(run, scope, token);
    await writeState(run, scope, position);
  });
  return position;
}

/** Applies all changes since `position`; returns the sequence that Neo4j then has. */
async function applyChanges(
  { client, feed, scope, signal, batchSize, token }: CopyRun,
  { storeId, sequence }: FeedPosition,
): Promise<number> {
  let applied = sequence;
  for (let place = beforeSequence(sequence + 1); ; ) {
    signal?.throwIfAborted();
    const changes = await feed.changesAfter(scope, place, batchSize);
    const last = changes.at(-1);
    if (last === undefined) return applied;
    const isEnd = changes.length < batchSize;
    // A sequence is committed at once, so the last one of a page that is not full is complete.
    applied = Math.max(applied, isEnd ? last.sequence : last.sequence - 1);
    const ids = [...new Set(changes.filter(({ kind, src }) => kind === '' && src > 0).map(({ src }) => src))];
    const links = changes.filter(({ kind }) => kind !== '').map(({ src, kind, dst }) => ({ src, kind, dst }));
    const nodes = await feed.nodes(scope, ids);
    const edges = await feed.edges(scope, links);
    const known = new Set(nodes.map(({ id }) => id));
    const batch = {
      nodes,
      goneNodes: ids.filter((id) => !known.has(id)),
      edges,
      goneEdges: missingLinks(links, edges),
    };
    await client.write(async (run) => {
      await lockState(run, scope, token);
      await writeBatch(run, scope, batch);
      await writeState(run, scope, { storeId, sequence: applied });
    });
    if (isEnd) return applied;
    place = last;
  }
}

/** Compares the numbers of nodes and edges, unless the graph has changed meanwhile. */
async function isComplete({ client, feed, scope }: CopyRun, sequence: number): Promise<boolean> {
  const wanted = await feed.counts(scope);
  if ((await feed.position(scope)).sequence !== sequence) return true;
  const counted = await client.write(async (run) => {
    const { organizationId: org } = scope;
    const [nodes] = await run<{ count: number }>('MATCH (n:GraphNode {org: $org}) RETURN count(n) AS count', {
      org,
    });
    const [edges] = await run<{ count: number }>(
      'MATCH (:GraphNode {org: $org})-[r]->() RETURN count(r) AS count',
      { org },
    );
    return { nodes: nodes?.count, edges: edges?.count };
  });
  return counted.nodes === wanted.nodes && counted.edges === wanted.edges;
}

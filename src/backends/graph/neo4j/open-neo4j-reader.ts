import type { Clock } from '../../../foundation/kernel/clock.ts';
import { isCallerError } from '../../../foundation/kernel/errors.ts';
import type { DataScope } from '../../../foundation/kernel/org-scope.ts';
import type { Logger } from '../../../foundation/telemetry/logger.ts';
import { plainNode } from '../adjacency.ts';
import type { GraphFeed } from '../feed.ts';
import { findNeighbours } from '../find-neighbours.ts';
import { findPaths } from '../find-paths.ts';
import type { Fresh, GraphReader } from '../port.ts';
import { searchNames } from '../search-names.ts';
import { readState } from './graph-state.ts';
import { neo4jAdjacency } from './neo4j-adjacency.ts';
import type { Neo4jClient, RunCypher } from './neo4j-client.ts';
import { neo4jNames } from './neo4j-names.ts';

export interface Neo4jReaderDeps {
  readonly client: Neo4jClient;
  readonly feed: GraphFeed;
  /** Answers whenever Neo4j cannot. */
  readonly sql: GraphReader;
  readonly clock: Clock;
  readonly log: Logger;
  /** Time without a request to Neo4j after a failure, in milliseconds. Default: 10,000. */
  readonly pauseMs?: number | undefined;
}

const defaultPauseMs = 10_000;

/**
 * Reads from Neo4j while it has applied every change of the organization, and otherwise from SQL. A failure of Neo4j
 * costs one timeout; then SQL answers for some time.
 */
export function openNeo4jReader(deps: Neo4jReaderDeps): GraphReader {
  const { client, feed, sql, clock, log, pauseMs = defaultPauseMs } = deps;
  let pausedUntil = 0;

  const answer = async <Answer>(
    scope: DataScope,
    read: (run: RunCypher) => Promise<Answer>,
    readSql: () => Promise<Answer & Fresh>,
  ): Promise<Answer & Fresh> => {
    if (clock() < pausedUntil) return readSql();
    // It cannot be read while a worker of another version replaces the tables: the read from SQL reports that.
    const position = await feed.position(scope).catch(() => undefined);
    if (position === undefined) return readSql();
    const { storeId, sequence } = position;
    try {
      const found = await client.read(async (run) => {
        const state = await readState(run, scope);
        const isCurrent = state?.storeId === storeId && state.sequence === sequence;
        return isCurrent ? { value: await read(run) } : undefined;
      });
      if (found !== undefined) return { ...found.value, freshness: { store: 'neo4j', sequence } };
    } catch (error) {
      if (isCallerError(error)) throw error;
      pausedUntil = clock() + pauseMs;
      log.warn({ err: error }, 'Neo4j does not answer; the graph is read from the database meanwhile');
    }
    return readSql();
  };

  return {
    get: (scope, keys) =>
      answer(
        scope,
        async (run) => ({ nodes: (await neo4jAdjacency(run).nodesByKey(scope, keys)).map(plainNode) }),
        () => sql.get(scope, keys),
      ),
    search: (scope, search) =>
      answer(
        scope,
        (run) => searchNames(neo4jNames(run), scope, search),
        () => sql.search(scope, search),
      ),
    // The copy has merged edges and nodes only: it does not know what a part of the repositories asserts.
    neighbours: (scope, traversal) =>
      traversal.origins === undefined
        ? answer(
            scope,
            (run) => findNeighbours(neo4jAdjacency(run), scope, traversal),
            () => sql.neighbours(scope, traversal),
          )
        : sql.neighbours(scope, traversal),
    // SQL answers from a few indexes.
    uses: (scope, search) => sql.uses(scope, search),
    paths: (scope, search) =>
      search.origins === undefined
        ? answer(
            scope,
            (run) => findPaths(neo4jAdjacency(run), scope, search),
            () => sql.paths(scope, search),
          )
        : sql.paths(scope, search),
    asserted: (scope, facts) => sql.asserted(scope, facts),
    stats: (scope) =>
      answer(
        scope,
        (run) => count(run, scope),
        () => sql.stats(scope),
      ),
  };
}

async function count(run: RunCypher, { organizationId: org }: DataScope) {
  const rows = await run<{ kind: string; count: number }>(
    'MATCH (n:GraphNode {org: $org}) WHERE n.kind IS NOT NULL RETURN n.kind AS kind, count(*) AS count ORDER BY kind',
    { org },
  );
  const [edges] = await run<{ count: number }>(
    'MATCH (:GraphNode {org: $org})-[r]->() RETURN count(r) AS count',
    { org },
  );
  return { nodes: Object.fromEntries(rows.map((row) => [row.kind, row.count])), edges: edges?.count ?? 0 };
}

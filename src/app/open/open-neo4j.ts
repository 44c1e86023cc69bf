import type { Neo4jClient } from '../../backends/graph/neo4j/neo4j-client.ts';
import type { GraphReader } from '../../backends/graph/port.ts';
import { openGraphFeed } from '../../backends/graph/sql/open-graph-feed.ts';
import type { DerivedDatabase } from '../../foundation/db/derived/open-derived.ts';
import { type Repeating, repeatEvery } from '../../foundation/jobs/worker/repeat.ts';
import { systemClock } from '../../foundation/kernel/clock.ts';
import type { Logger } from '../../foundation/telemetry/logger.ts';
import type { Settings } from './open-database.ts';

/** Interval between two copies of changes, in milliseconds. */
const copyMs = 5_000;
/** Interval between two comparisons of an organization with its copy, in milliseconds. */
const verifyMs = 3_600_000;

export interface OpenedNeo4j {
  readonly client: Neo4jClient;
  /** Returns a reader that prefers Neo4j. */
  reader(derived: DerivedDatabase, sql: GraphReader): GraphReader;
  close(): Promise<void>;
}

/** Opens the graph database of the settings; `undefined` without one. The driver is loaded only if it is needed. */
export async function openNeo4j(
  { config, secrets }: Settings,
  log: Logger,
): Promise<OpenedNeo4j | undefined> {
  if (config.graph === undefined) return undefined;
  const { openNeo4jClient } = await import('../../backends/graph/neo4j/neo4j-client.ts');
  const { openNeo4jReader } = await import('../../backends/graph/neo4j/open-neo4j-reader.ts');
  const client = openNeo4jClient({ ...config.graph, password: secrets.graphPassword });
  return {
    client,
    reader: (derived, sql) =>
      openNeo4jReader({ client, feed: openGraphFeed(derived), sql, clock: systemClock, log }),
    close: () => client.close(),
  };
}

/** Copies the changes of all organizations to Neo4j until it is stopped; `undefined` without a graph database. */
export async function copyToNeo4j(
  settings: Settings,
  derived: DerivedDatabase,
  log: Logger,
  intervalMs = copyMs,
): Promise<Repeating | undefined> {
  const neo4j = await openNeo4j(settings, log);
  if (neo4j === undefined) return undefined;
  const { copyGraph } = await import('../../backends/graph/neo4j/copy-graph.ts');
  const { CopyTaken } = await import('../../backends/graph/neo4j/graph-state.ts');
  const feed = openGraphFeed(derived);
  const stopping = new AbortController();
  const copied = new Map<string, { readonly sequence: number; readonly verifiedAt: number }>();
  const copyAll = async (): Promise<void> => {
    for (const organizationId of await feed.organizations()) {
      const scope = { organizationId };
      const last = copied.get(organizationId);
      const { sequence } = await feed.position(scope);
      const verify = systemClock() >= (last?.verifiedAt ?? 0) + verifyMs;
      if (stopping.signal.aborted || (!verify && last?.sequence === sequence)) continue;
      const result = await copyGraph(neo4j.client, feed, scope, { verify, signal: stopping.signal });
      if (result.filled) log.info({ organizationId }, 'the knowledge graph was copied to Neo4j');
      const verifiedAt = verify || last === undefined ? systemClock() : last.verifiedAt;
      copied.set(organizationId, { sequence: result.sequence, verifiedAt });
    }
  };
  const copying = repeatEvery(intervalMs, copyAll, (error) => {
    // Neo4j may have been emptied meanwhile, so that nothing is known about it.
    copied.clear();
    if (!stopping.signal.aborted && !(error instanceof CopyTaken))
      log.warn({ err: error }, 'copying the knowledge graph to Neo4j failed; it will be retried');
  });
  return {
    stop: async () => {
      stopping.abort();
      await copying.stop();
      await neo4j.close();
    },
  };
}

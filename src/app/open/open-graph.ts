import type { SourceReader } from '../../backends/codesearch/port.ts';
import { openGraphReader } from '../../backends/graph/sql/open-graph-reader.ts';
import type { KnowledgeDeps } from '../../features/knowledge/knowledge-deps.ts';
import { searchableNamesById } from '../../features/repositories/repository-store.ts';
import type { Database } from '../../foundation/db/database.ts';
import type { Logger } from '../../foundation/telemetry/logger.ts';
import { openDerivedDatabase, type Settings } from './open-database.ts';
import { openNeo4j } from './open-neo4j.ts';

/** The knowledge graph, for questions. */
export interface OpenedGraph extends KnowledgeDeps {
  close(): Promise<void>;
}

/** Opens the knowledge graph. Only the worker writes it; answers while it rebuilds contain what is there already. */
export async function openGraph(
  settings: Settings,
  database: Database,
  { sources, log }: { readonly sources: SourceReader; readonly log: Logger },
): Promise<OpenedGraph> {
  const derived = await openDerivedDatabase(settings, 'serve', log);
  const sql = openGraphReader(derived);
  const neo4j = await openNeo4j(settings, log);
  return {
    graph: neo4j === undefined ? sql : neo4j.reader(derived, sql),
    sources,
    repositoryNames: (scope) => searchableNamesById(database.queries, scope),
    close: async () => {
      await neo4j?.close();
      await derived.close();
    },
  };
}

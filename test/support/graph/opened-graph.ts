import { join } from 'node:path';
import { derivedSchemas } from '../../../src/app/open/open-database.ts';
import { mirroredConnections } from '../../../src/app/open/open-graph.ts';
import type { SourceReader } from '../../../src/backends/codesearch/port.ts';
import type { GraphReader, GraphWriter } from '../../../src/backends/graph/port.ts';
import { openGraphReader } from '../../../src/backends/graph/sql/open-graph-reader.ts';
import { openGraphWriter } from '../../../src/backends/graph/sql/open-graph-writer.ts';
import type { KnowledgeDeps } from '../../../src/features/knowledge/knowledge-deps.ts';
import { searchableNamesById } from '../../../src/features/repositories/repository-store.ts';
import type { Database } from '../../../src/foundation/db/database.ts';
import { openDerived } from '../../../src/foundation/db/derived/open-derived.ts';
import { allRecords } from '../mirror/records.ts';
import { silentLog } from '../silent-log.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const freshness = { store: 'sql', sequence: 0 } as const;

const emptyGraph: GraphReader = {
  get: async () => ({ nodes: [], freshness }),
  search: async () => ({ nodes: [], nextCursor: null, freshness }),
  neighbours: async () => ({ nodes: [], edges: [], truncated: false, freshness }),
  uses: async () => ({ definitions: [], edges: [], around: [], truncated: false, freshness }),
  paths: async () => ({ paths: [], truncated: false, freshness }),
  asserted: async () => ({ nodes: [], freshness }),
  stats: async () => ({ nodes: {}, edges: 0, freshness }),
};

const noSources: KnowledgeDeps['sources'] = {
  findCommits: async () => [],
  readFile: async () => undefined,
};

/** A graph without entities. */
export const emptyKnowledge: KnowledgeDeps = {
  graph: emptyGraph,
  sources: noSources,
  records: allRecords,
  repositoryNames: async () => new Map(),
  mirroredConnections: async () => new Set(),
};

export interface OpenedTestGraph extends KnowledgeDeps {
  readonly writer: GraphWriter;
  close(): Promise<void>;
}

/** Opens an empty graph in a file of its own, as the service does. Default of `sources`: no repository. */
export async function openTestGraph(
  { queries }: Database,
  sources: Partial<SourceReader> = {},
): Promise<OpenedTestGraph> {
  const file = join(temporaryFolder(), 'graph.db');
  const derived = await openDerived({ dialect: 'sqlite', file }, derivedSchemas, silentLog);
  return {
    graph: openGraphReader(derived),
    sources: { ...noSources, ...sources },
    records: allRecords,
    writer: openGraphWriter(derived),
    repositoryNames: (scope) => searchableNamesById(queries, scope),
    mirroredConnections: (scope) => mirroredConnections(queries, scope),
    close: () => derived.close(),
  };
}

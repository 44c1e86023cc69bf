import type { SourceReader } from '../../backends/codesearch/port.ts';
import type { GraphReader } from '../../backends/graph/port.ts';
import type { OrgScope } from '../../foundation/kernel/org-scope.ts';
import type { ConnectorRecords } from '../mirror/format/record-kind.ts';

/** The dependencies of the questions about the knowledge graph. */
export interface KnowledgeDeps {
  readonly graph: GraphReader;
  /** Reads the commits that the graph lacks. */
  readonly sources: Pick<SourceReader, 'findCommits' | 'readFile'>;
  /** The records that the graph may have, one value for each connector. */
  readonly records: readonly ConnectorRecords[];
  /** Returns the names of the repositories that can be searched, by id. */
  repositoryNames(scope: OrgScope): Promise<ReadonlyMap<string, string>>;
  /** Returns the connections that mirror into the repositories that a scope is limited to. */
  mirroredConnections(scope: OrgScope): Promise<ReadonlySet<string>>;
}

import type { GraphReader } from '../../backends/graph/port.ts';
import type { OrgScope } from '../../foundation/kernel/org-scope.ts';

/** The dependencies of the questions about the knowledge graph. */
export interface KnowledgeDeps {
  readonly graph: GraphReader;
  /** Returns the names of the repositories that can be searched, by id. */
  repositoryNames(scope: OrgScope): Promise<ReadonlyMap<string, string>>;
}

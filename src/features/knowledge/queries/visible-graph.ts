import type { EdgeFact, GraphNode, GraphReader } from '../../../backends/graph/port.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import type { KnowledgeDeps } from '../knowledge-deps.ts';
import { repositoryOfKey } from './key-origin.ts';
import { limitedGraph } from './limited-graph.ts';

/** An opened view of the graph for one request. */
export interface VisibleGraph {
  readonly graph: GraphReader;
  /** Names of the repositories that the view shows, by id. */
  readonly repositories: ReadonlyMap<string, string>;
}

/**
 * Opens the graph without the code of repositories that cannot be searched, such as one that is being removed, and
 * without the facts of repositories outside the limit of the scope. The facts of a removed repository stay in the
 * store until the worker has removed them, and `stats` counts them until then.
 */
export async function openVisibleGraph(deps: KnowledgeDeps, scope: OrgScope): Promise<VisibleGraph> {
  const { graph } = deps;
  const repositories = await deps.repositoryNames(scope);
  if (scope.repositories !== undefined) {
    const connections = await deps.mirroredConnections(scope);
    return { repositories, graph: limitedGraph(graph, { repositories, connections }) };
  }
  // Many edges of an answer start or end at one node.
  const shown = new Map<string, boolean>();
  const isOfScope = (repositoryId: string | undefined): boolean =>
    repositoryId === undefined || repositories.has(repositoryId);
  const shows = (key: string): boolean => {
    const isShown = shown.get(key) ?? isOfScope(repositoryOfKey(key));
    shown.set(key, isShown);
    return isShown;
  };
  const showsEdge = ({ from, to }: EdgeFact): boolean => shows(from) && shows(to);
  const withoutHidden = <Answer extends { readonly nodes: readonly GraphNode[] }>(
    answer: Answer,
  ): Answer => ({
    ...answer,
    nodes: answer.nodes.filter(({ key }) => shows(key)),
  });
  return {
    repositories,
    graph: {
      get: async (each, keys) => withoutHidden(await graph.get(each, keys)),
      search: async (each, search) => withoutHidden(await graph.search(each, search)),
      neighbours: async (each, traversal) => {
        const answer = withoutHidden(await graph.neighbours(each, traversal));
        return { ...answer, edges: answer.edges.filter(showsEdge) };
      },
      uses: async (each, search) => {
        const { definitions, edges, around, ...rest } = await graph.uses(each, search);
        return {
          ...rest,
          definitions: definitions.filter(({ key }) => shows(key)),
          edges: edges.filter(showsEdge),
          around: around.filter(({ key }) => shows(key)),
        };
      },
      paths: async (each, search) => {
        const answer = await graph.paths(each, search);
        return { ...answer, paths: answer.paths.filter(({ nodes }) => nodes.every(({ key }) => shows(key))) };
      },
      asserted: (each, facts) => graph.asserted(each, facts),
      stats: (each) => graph.stats(each),
    },
  };
}

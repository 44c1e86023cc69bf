import type { GraphEdge, GraphNode, GraphReader } from '../../../backends/graph/port.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import type { KnowledgeDeps } from '../knowledge-deps.ts';

/** An opened view of the graph for one request. */
export interface VisibleGraph {
  readonly graph: GraphReader;
  /** Names of the repositories that the view shows, by id. */
  readonly repositories: ReadonlyMap<string, string>;
}

/** What a view of the graph shows. */
interface Visibility {
  /** Returns whether a node may be found. */
  node(key: string): boolean;
  edge(edge: GraphEdge): boolean;
  /** Returns whether a node may stand at the end of an edge that is shown. */
  end(key: string): boolean;
}

/**
 * Opens the graph without the code of repositories that cannot be searched, such as one that is being removed, and
 * without what comes from repositories that the scope is not limited to. The facts of a removed repository stay in the
 * store until the worker has removed them, and `stats` counts them until then.
 */
export async function openVisibleGraph(deps: KnowledgeDeps, scope: OrgScope): Promise<VisibleGraph> {
  const { graph } = deps;
  const repositories = await deps.repositoryNames(scope);
  const shows =
    scope.repositories === undefined
      ? visibleIn(repositories)
      : limitedTo(repositories, await deps.mirroredConnections(scope));
  const withoutHidden = <Answer extends { readonly nodes: readonly GraphNode[] }>(
    answer: Answer,
  ): Answer => ({ ...answer, nodes: answer.nodes.filter(({ key }) => shows.node(key)) });
  return {
    repositories,
    graph: {
      get: async (each, keys) => withoutHidden(await graph.get(each, keys)),
      search: async (each, search) => withoutHidden(await graph.search(each, search)),
      neighbours: async (each, traversal) => {
        const answer = await graph.neighbours(each, traversal);
        const edges = answer.edges.filter(shows.edge);
        const ends = new Set(edges.flatMap(({ from, to }) => [from, to]));
        const isShown = ({ key }: GraphNode): boolean => shows.node(key) || (ends.has(key) && shows.end(key));
        return { ...answer, nodes: answer.nodes.filter(isShown), edges };
      },
      paths: async (each, search) => {
        const answer = await graph.paths(each, search);
        const paths = answer.paths.filter(
          ({ nodes, edges }) => nodes.every(({ key }) => shows.end(key)) && edges.every(shows.edge),
        );
        return { ...answer, paths };
      },
      // The counts of a whole organization are not those of a part of it.
      stats: async (each) =>
        scope.repositories === undefined
          ? graph.stats(each)
          : { ...(await graph.stats(each)), nodes: {}, edges: 0 },
    },
  };
}

function visibleIn(repositories: ReadonlyMap<string, string>): Visibility {
  const node = (key: string): boolean => {
    const repositoryId = repositoryOfKey(key);
    return repositoryId === undefined || repositories.has(repositoryId);
  };
  return { node, end: node, edge: ({ from, to }) => node(from) && node(to) };
}

/**
 * Shows the code, history and records of some repositories. What several may name, such as people, has no repository of
 * its own: it is shown only at the end of an edge that a file or commit of these repositories asserts.
 */
function limitedTo(repositories: ReadonlyMap<string, string>, connections: ReadonlySet<string>): Visibility {
  const origin = (key: string): boolean | undefined => {
    const repositoryId = repositoryOfKey(key) ?? /^service:catalog:([^/]+)/.exec(key)?.[1];
    if (repositoryId !== undefined) return repositories.has(repositoryId);
    const connectionId = recordKey.exec(key)?.[1];
    return connectionId === undefined ? undefined : connections.has(connectionId);
  };
  const end = (key: string): boolean => origin(key) ?? true;
  return {
    node: (key) => origin(key) ?? false,
    end,
    edge: ({ from, to, owner }) => end(from) && end(to) && repositories.has(repositoryOfKey(owner) ?? ''),
  };
}

/** The key of a mirrored record, with its connection. */
const recordKey =
  /^(?:issue|incident|document|project|initiative|cycle|label|team|service):([\da-f]{8}-[\da-f-]{27}):/;

/** Returns the id of the repository whose code or history the key names. */
export function repositoryOfKey(key: string): string | undefined {
  return /^(?:repo|file|symbol|commit|pr):([^:]+)/.exec(key)?.[1];
}

import type { GraphEdge, GraphNode, GraphReader, GraphSearch } from '../../../backends/graph/port.ts';
import type { DataScope } from '../../../foundation/kernel/org-scope.ts';
import { recordConnectionOf, repositoryOfKey } from './key-origin.ts';

/** The parts of the graph that a limited scope may see. */
export interface GraphLimits {
  /** Names of repositories, by id. */
  readonly repositories: ReadonlyMap<string, string>;
  /** The connections that mirror into these repositories. */
  readonly connections: ReadonlySet<string>;
}

/** Size and number of pages that one search reads, in case most of their nodes are hidden. */
const pages = { size: 200, max: 20 } as const;

/**
 * Reads the code, history and records of some repositories. What several repositories may name, such as people, belongs
 * to none: it is shown only at the end of an edge that a file or commit of these repositories asserts, with the name
 * that is asserted there.
 */
export function limitedGraph(graph: GraphReader, limits: GraphLimits): GraphReader {
  /** Returns whether the origin of a node is shown; `undefined` for a node without an origin. */
  const origin = (key: string): boolean | undefined => {
    const repositoryId = repositoryOfKey(key) ?? /^service:catalog:([^/]+)/.exec(key)?.[1];
    if (repositoryId !== undefined) return limits.repositories.has(repositoryId);
    const connectionId = recordConnectionOf(key);
    return connectionId === undefined ? undefined : limits.connections.has(connectionId);
  };
  const isShown = ({ key }: GraphNode): boolean => origin(key) === true;
  const isOwned = ({ owner }: GraphEdge): boolean => limits.repositories.has(repositoryOfKey(owner) ?? '');
  const showsEdge = (edge: GraphEdge): boolean =>
    isOwned(edge) && origin(edge.from) !== false && origin(edge.to) !== false;

  /** Replaces the names and properties of nodes without an origin, which other repositories assert as well. */
  const named = async (scope: DataScope, nodes: readonly GraphNode[], edges: readonly GraphEdge[]) => {
    const shared = new Set(nodes.flatMap(({ key }) => (origin(key) === undefined ? key : [])));
    if (shared.size === 0) return nodes;
    const facts = edges.flatMap(({ owner, from, to }) =>
      [from, to].filter((key) => shared.has(key)).map((key) => ({ owner, key })),
    );
    const found = await graph.asserted(scope, facts);
    const byKey = new Map(found.nodes.map((node) => [node.key, node]));
    return nodes.map((node) => (shared.has(node.key) ? (byKey.get(node.key) ?? nameless(node)) : node));
  };

  return {
    get: async (scope, keys) => {
      const answer = await graph.get(scope, keys);
      return { ...answer, nodes: answer.nodes.filter(isShown) };
    },
    search: (scope, search) => searchShown(graph, scope, withoutHiddenCode(search, limits), isShown),
    neighbours: async (scope, traversal) => {
      const answer = await graph.neighbours(scope, traversal);
      const all = answer.edges.filter(showsEdge);
      const reached = reachedFrom(traversal.from, all);
      const edges = all.filter(({ from }) => reached.has(from));
      const ends = new Set(edges.flatMap(({ from, to }) => [from, to]));
      const nodes = answer.nodes.filter(
        (node) => ends.has(node.key) || (isShown(node) && reached.has(node.key)),
      );
      return { ...answer, nodes: await named(scope, nodes, edges), edges };
    },
    paths: async (scope, search) => {
      const answer = await graph.paths(scope, search);
      const shown = answer.paths.filter(
        ({ nodes, edges }) => nodes.every(({ key }) => origin(key) !== false) && edges.every(isOwned),
      );
      const paths = [];
      for (const path of shown) paths.push({ ...path, nodes: await named(scope, path.nodes, path.edges) });
      return { ...answer, paths };
    },
    asserted: (scope, facts) =>
      graph.asserted(
        scope,
        facts.filter(({ owner }) => limits.repositories.has(repositoryOfKey(owner) ?? '')),
      ),
    // The counts of a whole organization are not those of a part of it.
    stats: async (scope) => ({ ...(await graph.stats(scope)), nodes: {}, edges: 0 }),
  };
}

/** Returns a node that no unit of the repositories describes, with the end of its key as its name. */
function nameless({ key, kind }: GraphNode): GraphNode {
  return { key, kind, name: key.slice(key.lastIndexOf(':') + 1), props: {} };
}

/** Returns the keys that edges lead to, in either direction, with those where they begin. */
function reachedFrom(start: readonly string[], edges: readonly GraphEdge[]): ReadonlySet<string> {
  const ends = edges.flatMap(({ from, to }) => [
    { at: from, other: to },
    { at: to, other: from },
  ]);
  const next = Map.groupBy(ends, ({ at }) => at);
  const reached = new Set(start);
  for (const key of reached) for (const { other } of next.get(key) ?? []) reached.add(other);
  return reached;
}

/** Lets the store leave out hidden code, if only code is searched. */
function withoutHiddenCode(search: GraphSearch, { repositories }: GraphLimits): GraphSearch {
  const onlyCode = search.kinds?.every((kind) => repositoryOfKey(`${kind}:x`) !== undefined) === true;
  return onlyCode ? { ...search, repositories: search.repositories ?? [...repositories.keys()] } : search;
}

/** Finds nodes that are shown. A cursor contains the name that it stands behind, so that it is of a node that is shown. */
async function searchShown(
  graph: GraphReader,
  scope: DataScope,
  search: GraphSearch,
  isShown: (node: GraphNode) => boolean,
): ReturnType<GraphReader['search']> {
  const shown: { readonly node: GraphNode; readonly page: GraphSearch }[] = [];
  let cursor = search.cursor;
  for (let page = 1; ; page += 1) {
    const found = await graph.search(scope, { ...search, cursor, limit: pages.size });
    for (const [index, node] of found.nodes.entries())
      if (isShown(node)) shown.push({ node, page: { ...search, cursor, limit: index + 1 } });
    const isLast = found.nextCursor === null;
    if (shown.length <= search.limit && !isLast && page < pages.max) {
      cursor = found.nextCursor ?? undefined;
      continue;
    }
    const nodes = shown.slice(0, search.limit);
    const last = isLast && shown.length <= search.limit ? undefined : nodes.at(-1);
    const nextCursor = last === undefined ? null : (await graph.search(scope, last.page)).nextCursor;
    return { ...found, nodes: nodes.map(({ node }) => node), nextCursor };
  }
}

import {
  type Fresh,
  type GraphEdge,
  type GraphNode,
  type GraphReader,
  originOfKey,
} from '../../../backends/graph/port.ts';
import type { DataScope } from '../../../foundation/kernel/org-scope.ts';
import { repositoryOfKey } from './key-origin.ts';

/** The parts of the graph that a limited scope may see. */
export interface GraphLimits {
  /** Names of repositories, by id. */
  readonly repositories: ReadonlyMap<string, string>;
  /** The connections that mirror into these repositories. */
  readonly connections: ReadonlySet<string>;
}

/**
 * Reads the code, history and records of some repositories. What several repositories may name, such as people, belongs
 * to none: it is shown only at the end of an edge that a file or commit of these repositories asserts, with the name
 * that is asserted there.
 */
export function limitedGraph(graph: GraphReader, limits: GraphLimits): GraphReader {
  const origins = [...limits.repositories.keys(), ...limits.connections];
  const isShown = new Set(origins);
  const shows = ({ key }: GraphNode): boolean => isShown.has(originOfKey(key) ?? '');

  /** Replaces the names and properties of nodes without an origin, which other repositories assert as well. */
  const named = async (scope: DataScope, nodes: readonly GraphNode[], edges: readonly GraphEdge[]) => {
    const shared = new Set(nodes.flatMap(({ key }) => (originOfKey(key) === undefined ? key : [])));
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
      return unnumbered({ ...answer, nodes: answer.nodes.filter(shows) });
    },
    search: async (scope, search) => {
      const own = search.origins?.filter((id) => isShown.has(id)) ?? origins;
      return unnumbered(await graph.search(scope, { ...search, origins: own }));
    },
    neighbours: async (scope, traversal) => {
      const answer = await graph.neighbours(scope, { ...traversal, origins });
      const ends = new Set(answer.edges.flatMap(({ from, to }) => [from, to]));
      const nodes = answer.nodes.filter((node) => shows(node) || ends.has(node.key));
      return unnumbered({ ...answer, nodes: await named(scope, nodes, answer.edges) });
    },
    uses: async (scope, search) => {
      const { definitions, around, ...rest } = await graph.uses(scope, { ...search, origins });
      return unnumbered({ ...rest, definitions: definitions.filter(shows), around: around.filter(shows) });
    },
    paths: async (scope, search) => {
      const answer = await graph.paths(scope, { ...search, origins });
      const paths = [];
      for (const path of answer.paths)
        paths.push({ ...path, nodes: await named(scope, path.nodes, path.edges) });
      return unnumbered({ ...answer, paths });
    },
    asserted: async (scope, facts) => {
      const own = facts.filter(({ owner }) => limits.repositories.has(repositoryOfKey(owner) ?? ''));
      return unnumbered(await graph.asserted(scope, own));
    },
    // The counts of a whole organization are not those of a part of it.
    stats: async (scope) => unnumbered({ ...(await graph.stats(scope)), nodes: {}, edges: 0 }),
  };
}

/** Removes the number of changes, which those of hidden repositories raise as well. */
function unnumbered<Answer extends Fresh>(answer: Answer): Answer {
  return { ...answer, freshness: { store: answer.freshness.store } };
}

/** Returns a node that no unit of the repositories describes, with the end of its key as its name. */
function nameless({ key, kind }: GraphNode): GraphNode {
  return { key, kind, name: key.slice(key.lastIndexOf(':') + 1), props: {} };
}

import type { DataScope } from '../../foundation/kernel/org-scope.ts';
import type { GraphEdge, GraphNode, Properties } from './port.ts';

/** An edge by the numbers of its ends, which SQL assigns and Neo4j copies, so that both order edges alike. */
export interface Link {
  readonly src: number;
  readonly kind: string;
  readonly dst: number;
}

export interface NumberedNode extends GraphNode {
  readonly id: number;
}

export interface LinkQuery {
  readonly direction: 'out' | 'in';
  readonly kinds: readonly string[] | undefined;
  readonly minConfidence: number;
  /** Maximum number of links of each node, ordered by kind and the other end. */
  readonly perNode: number;
}

export interface DescribedLink {
  readonly link: Link;
  readonly edge: GraphEdge;
}

/** The batched reads of one store that traversals are built from. Nodes that nobody asserts are left out. */
export interface Adjacency {
  nodesByKey(scope: DataScope, keys: readonly string[]): Promise<readonly NumberedNode[]>;
  nodesById(scope: DataScope, ids: readonly number[]): Promise<readonly NumberedNode[]>;
  links(scope: DataScope, ids: readonly number[], query: LinkQuery): Promise<readonly Link[]>;
  /** Returns the links with their reasons, in the given order, without those that no longer exist. */
  describe(scope: DataScope, links: readonly Link[]): Promise<readonly DescribedLink[]>;
}

/** Default of `minConfidence`. */
export const defaultConfidence = 30;

/** Returns a text that identifies a link. */
export function linkId({ src, kind, dst }: Link): string {
  return `${src} ${kind} ${dst}`;
}

/** A node as both stores return it. */
export interface StoredNode {
  readonly id: number;
  readonly key: string;
  readonly kind: string;
  readonly name: string;
  /** JSON. */
  readonly props: string;
}

/** Reads a stored node. */
export function nodeOf({ id, key, kind, name, props }: StoredNode): NumberedNode {
  return { id, key, kind, name, props: JSON.parse(props) as Properties };
}

/** Removes the numbers, which are not part of the port. */
export function plainNode({ key, kind, name, props }: NumberedNode): GraphNode {
  return { key, kind, name, props };
}

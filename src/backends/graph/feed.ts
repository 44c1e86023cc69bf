import type { DataScope } from '../../foundation/kernel/org-scope.ts';
import type { DescribedLink, Link } from './adjacency.ts';

/**
 * Reads the changes that a copy of the graph needs from SQL. Changes name nodes and edges, not values: a copy reads the
 * current value of each, so that applying a change twice, or late, does no harm.
 */
export interface GraphFeed {
  /** The organizations that ever had facts. */
  organizations(): Promise<readonly DataScope['organizationId'][]>;
  position(scope: DataScope): Promise<FeedPosition>;
  /** Counts all nodes, including those that are only named, and the different edges. */
  counts(scope: DataScope): Promise<FeedCounts>;
  /** Returns the next changes after a place, in order. Each sequence has at least one. */
  changesAfter(scope: DataScope, place: FeedPlace, limit: number): Promise<readonly FeedPlace[]>;
  /** Forgets the changes up to a sequence, which the copy has applied. */
  forget(scope: DataScope, upTo: number): Promise<void>;
  /** Reads the nodes that exist, by number. */
  nodes(scope: DataScope, ids: readonly number[]): Promise<readonly FeedNode[]>;
  /** Reads the edges that exist. */
  edges(scope: DataScope, links: readonly Link[]): Promise<readonly DescribedLink[]>;
  /** Pages through all nodes, by number. */
  nodesAfter(scope: DataScope, id: number, limit: number): Promise<readonly FeedNode[]>;
  /** Reads all edges that start at the nodes. */
  edgesFrom(scope: DataScope, ids: readonly number[]): Promise<readonly DescribedLink[]>;
}

export interface FeedPosition {
  /** Differs after the store was rebuilt; the sequence then counts from the beginning. */
  readonly storeId: string;
  readonly sequence: number;
}

export interface FeedCounts {
  readonly nodes: number;
  readonly edges: number;
}

/** A change, and with it a place in the outbox. A node has an empty `kind`. */
export interface FeedPlace extends Link {
  readonly sequence: number;
}

/** A node as stored; the last fields are null while it is only named. */
export interface FeedNode {
  readonly id: number;
  readonly key: string;
  readonly kind: string | null;
  readonly name: string | null;
  readonly folded: string | null;
  readonly origin: string | null;
  /** JSON. */
  readonly props: string | null;
}

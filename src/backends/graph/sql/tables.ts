import type { Generated } from 'kysely';

declare module '../../../foundation/db/derived/derived-tables.ts' {
  interface DerivedTables {
    graph_organizations: { id: Generated<number>; org_id: string; sequence: number; edges: number };
    graph_texts: { id: Generated<number>; org: number; hash: number; text: string; uses: number };
    graph_units: GraphUnitRow;
    graph_nodes: GraphNodeRow;
    graph_node_facts: GraphFactRow;
    graph_edges: GraphEdgeRow;
    graph_mentions: GraphMentionRow;
    graph_outbox: { org_id: string; sequence: number; src: number; kind: string; dst: number };
  }
}

/*
 * In `graph_organizations`, `sequence` rises with each change of the organization's graph, and `edges` counts its
 * different edges. `graph_texts` has the texts that other rows name, each with the number of these rows.
 * `graph_outbox` has the changes that another graph database copies: edges, and nodes (`kind` empty, `dst` 0).
 */

/** A file, commit or issue that asserts facts. Its number is that of the node with its key. */
export type GraphUnitRow = {
  id: number;
  /** A shared text, as `prefix`, `shape` and `reason` are. */
  repository: number;
  /** Identifies its content; null if it is the rest of its key, as that of a commit is. */
  revision: string | null;
};

/** A node as merged from its facts. `kind` is null while no unit asserts it and only other rows name it. */
export type GraphNodeRow = {
  id: Generated<number>;
  org: number;
  /** The beginning of its key, and the number by which the rest is found. */
  prefix: number;
  hash: number;
  rest: string;
  /** The shared text of its origin. */
  origin: number | null;
  kind: number | null;
  /** The name as it is compared. */
  folded: string | null;
  shape: number | null;
  content: string | null;
};

/** The facts of one unit about one node; null if they are equal to the merged node. */
export type GraphFactRow = {
  unit_id: number;
  node_id: number;
  shape: number | null;
  content: string | null;
};

/** Why an edge exists, as `packReason` returns it. */
type ReasonColumns = { reason: number; line: number; confidence: number };

export type GraphEdgeRow = ReasonColumns & {
  src: number;
  kind: number;
  dst: number;
  unit_id: number;
  /**
   * The alias of the mention that this edge resolves. 0 if the unit asserts the edge itself, and -1 if it does so
   * without asserting the node that the edge starts at: the other edges of a unit are found by its nodes.
   */
  mention: number;
};

export type GraphMentionRow = ReasonColumns & {
  alias_id: number;
  unit_id: number;
  src: number;
  kind: number;
};

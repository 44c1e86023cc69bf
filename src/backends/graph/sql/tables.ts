import type { Generated } from 'kysely';

declare module '../../../foundation/db/derived/derived-tables.ts' {
  interface DerivedTables {
    graph_organizations: GraphOrganizationRow;
    graph_texts: GraphTextRow;
    graph_units: GraphUnitRow;
    graph_nodes: GraphNodeRow;
    graph_node_facts: GraphNodeFactRow;
    graph_edges: GraphEdgeRow;
    graph_mentions: GraphMentionRow;
    graph_outbox: GraphOutboxRow;
  }
}

/** `sequence` rises with each change of the organization's graph; `edges` counts its different edges. */
export interface GraphOrganizationRow {
  id: Generated<number>;
  org_id: string;
  sequence: number;
  edges: number;
}

/** A text that rows of other tables name; `uses` is the number of these rows. */
export interface GraphTextRow {
  id: Generated<number>;
  org: number;
  hash: number;
  text: string;
  uses: number;
}

/** A file, commit or issue that asserts facts. Its number is that of the node with its key. */
export interface GraphUnitRow {
  id: number;
  /** A shared text, as `prefix`, `shape` and `reason` are. */
  repository: number;
  /** Identifies its content; null if it is the rest of its key, as that of a commit is. */
  revision: string | null;
}

/** A node as merged from its facts. `kind` is null while no unit asserts it and only other rows name it. */
export interface GraphNodeRow {
  id: Generated<number>;
  org: number;
  /** The beginning of its key. */
  prefix: number;
  rest: string;
  repository: number | null;
  kind: number | null;
  /** The name as it is compared. */
  folded: string | null;
  shape: number | null;
  content: string | null;
}

/** The facts that one unit asserts about one node; null if they are equal to the merged node. */
export interface GraphNodeFactRow {
  unit_id: number;
  node_id: number;
  shape: number | null;
  content: string | null;
}

/** Why an edge exists, as `packReason` returns it. */
interface ReasonColumns {
  reason: number;
  line: number;
  confidence: number;
}

export interface GraphEdgeRow extends ReasonColumns {
  src: number;
  kind: number;
  dst: number;
  unit_id: number;
  /**
   * The alias of the mention that this edge resolves. 0 if the unit asserts the edge itself, and -1 if it does so
   * without asserting the node that the edge starts at, so that the edges of a unit are found by its nodes.
   */
  mention: number;
}

export interface GraphMentionRow extends ReasonColumns {
  alias_id: number;
  unit_id: number;
  src: number;
  kind: number;
}

/** A change that another graph database has to copy: an edge, or a node (`kind` empty, `dst` 0). */
export interface GraphOutboxRow {
  org_id: string;
  sequence: number;
  src: number;
  kind: string;
  dst: number;
}

import type { Generated } from 'kysely';

declare module '../../../foundation/db/derived/derived-tables.ts' {
  interface DerivedTables {
    graph_organizations: GraphOrganizationRow;
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
  org_id: string;
  sequence: number;
  edges: number;
}

/** A file, commit or issue that asserts facts; `revision` identifies its content. */
export interface GraphUnitRow {
  id: Generated<number>;
  org_id: string;
  owner: string;
  repository_id: string;
  revision: string;
}

/** A node as merged from its facts. `kind` is null while no unit asserts it and only edges or mentions name it. */
export interface GraphNodeRow {
  id: Generated<number>;
  org_id: string;
  key: string;
  kind: string | null;
  name: string | null;
  /** The name as it is compared. */
  folded: string | null;
  repository_id: string | null;
  props: string | null;
}

/** The facts that one unit asserts about one node. */
export interface GraphNodeFactRow {
  unit_id: number;
  node_id: number;
  name: string;
  props: string;
}

export interface GraphEdgeRow {
  src: number;
  kind: string;
  dst: number;
  unit_id: number;
  /** The alias of the mention that this edge resolves; 0 if the unit asserts the edge itself. */
  mention: number;
  rule: string;
  evidence: string;
  confidence: number;
}

export interface GraphMentionRow {
  alias_id: number;
  unit_id: number;
  src: number;
  kind: string;
  rule: string;
  evidence: string;
  confidence: number;
}

/** A change that another graph database has to copy: an edge, or a node (`kind` empty, `dst` 0). */
export interface GraphOutboxRow {
  org_id: string;
  sequence: number;
  src: number;
  kind: string;
  dst: number;
}

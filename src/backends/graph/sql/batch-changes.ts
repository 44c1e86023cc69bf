import type { GraphQueries } from './graph-tables.ts';
import { SharedTexts } from './texts.ts';

/** An edge by numbers, as it is stored. */
export interface NumberedLink {
  readonly src: number;
  readonly kind: number;
  readonly dst: number;
}

/** The changes of the transaction of one batch so far. */
export interface BatchChanges {
  readonly organizationId: string;
  /** The number of the organization. */
  readonly organization: number;
  readonly texts: SharedTexts;
  /** Nodes that were added, changed or deleted. */
  readonly nodes: Set<number>;
  /** Nodes that this transaction added, merged from its facts. */
  readonly added: Map<number, NodeContent>;
  readonly links: Map<string, NumberedLink>;
  /** Nodes that may no longer be named by anything. */
  readonly released: Set<number>;
  /** By how much the number of different edges changed. */
  edges: number;
}

/** Name and properties of a node by the number of their shape; null while nobody asserts the node. */
export interface NodeContent {
  readonly shape: number | null;
  readonly content: string | null;
}

export function noChanges(graph: GraphQueries, organizationId: string, organization: number): BatchChanges {
  const texts = new SharedTexts(graph, organization);
  const nothing = { nodes: new Set<number>(), released: new Set<number>(), edges: 0 };
  return { organizationId, organization, texts, added: new Map(), links: new Map(), ...nothing };
}

/** Returns a text that identifies an edge. */
export function numbersOf({ src, kind, dst }: NumberedLink): string {
  return `${src} ${kind} ${dst}`;
}

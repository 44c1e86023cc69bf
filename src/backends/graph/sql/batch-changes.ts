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

export interface Difference<Row> {
  readonly removed: readonly Row[];
  /** Rows that are new or changed. */
  readonly written: readonly Row[];
  /** The stored rows that `written` replaces. */
  readonly replaced: readonly Row[];
}

/** Compares the stored rows with the wanted ones, so that unchanged rows cost no write. */
export function difference<Row>(
  stored: readonly Row[],
  wanted: readonly Row[],
  identity: (row: Row) => string,
  isSame: (a: Row, b: Row) => boolean,
): Difference<Row> {
  // The facts of a new unit: nothing is stored that they could be equal to.
  if (stored.length === 0) return { removed: [], written: wanted, replaced: [] };
  const before = new Map(stored.map((row) => [identity(row), row]));
  const [written, replaced]: [Row[], Row[]] = [[], []];
  for (const row of wanted) {
    const id = identity(row);
    const known = before.get(id);
    before.delete(id);
    if (known !== undefined && isSame(known, row)) continue;
    written.push(row);
    if (known !== undefined) replaced.push(known);
  }
  return { removed: [...before.values()], written, replaced };
}

import { type Link, linkId } from '../adjacency.ts';

/** The changes of the transaction of one batch so far. */
export interface BatchChanges {
  /** Nodes that were added, changed or deleted. */
  readonly nodes: Set<number>;
  /** Nodes that this transaction added, merged from its facts. */
  readonly added: Set<number>;
  readonly links: Map<string, Link>;
  /** Nodes that may no longer be named by anything. */
  readonly released: Set<number>;
  /** By how much the number of different edges changed. */
  edges: number;
}

export function noChanges(): BatchChanges {
  return { nodes: new Set(), added: new Set(), links: new Map(), released: new Set(), edges: 0 };
}

export function noteLink(changes: BatchChanges, link: Link, id = linkId(link)): void {
  const { src, kind, dst } = link;
  changes.links.set(id, { src, kind, dst });
}

export interface Difference<Row> {
  readonly removed: readonly Row[];
  /** Rows that are new or changed. */
  readonly written: readonly Row[];
  /** Those of `written` that replace a stored row. */
  readonly changed: readonly Row[];
}

/** Compares the stored rows with the wanted ones, so that unchanged rows cost no write. */
export function difference<Row>(
  stored: readonly Row[],
  wanted: readonly Row[],
  identity: (row: Row) => string,
  isSame: (a: Row, b: Row) => boolean,
): Difference<Row> {
  // The facts of a new unit: nothing is stored that they could be equal to.
  if (stored.length === 0) return { removed: [], written: wanted, changed: [] };
  const before = new Map(stored.map((row) => [identity(row), row]));
  const [written, changed]: [Row[], Row[]] = [[], []];
  for (const row of wanted) {
    const id = identity(row);
    const known = before.get(id);
    before.delete(id);
    if (known !== undefined && isSame(known, row)) continue;
    written.push(row);
    if (known !== undefined) changed.push(row);
  }
  return { removed: [...before.values()], written, changed };
}

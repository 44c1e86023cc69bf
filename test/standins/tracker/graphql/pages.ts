import { compareText } from '../../../../src/foundation/kernel/text/compare-text.ts';
import type { Row } from '../model.ts';
import { inputError } from './errors.ts';

export interface PageArguments {
  readonly first?: number | null;
  readonly after?: string | null;
  readonly last?: number | null;
  readonly before?: string | null;
  readonly orderBy?: 'createdAt' | 'updatedAt' | null;
}

const defaultFirst = 50;
const maxFirst = 250;

/**
 * Cuts a page out of the rows that are listed, the newest first. A cursor is the last item, wherever it is by now: an
 * item that was updated meanwhile moved to the start. Filters rows only up to the first one after the page.
 */
export function pageOf(
  rows: readonly Row[],
  isListed: (row: Row) => boolean,
  { first, after, last, before, orderBy }: PageArguments,
) {
  if ((last ?? before ?? null) !== null) throw new Error('the stand-in does not page backwards');
  const size = first ?? defaultFirst;
  if (size > maxFirst)
    throw inputError(`Argument Validation Error: first must not be greater than ${maxFirst}`);
  const field = orderBy ?? 'createdAt';
  const sorted = rows
    .map((row) => ({ row, key: order(row, field) }))
    .toSorted((a, b) => compareText(b.key, a.key))
    .map(({ row }) => row);
  const start = startOf(sorted, isListed, after ?? undefined);
  const found: Row[] = [];
  for (const row of sorted.slice(start)) {
    if (found.length > size) break;
    if (isListed(row)) found.push(row);
  }
  const nodes = found.slice(0, size);
  return {
    nodes,
    edges: nodes.map((node) => ({ cursor: node.id, node })),
    pageInfo: {
      hasNextPage: found.length > size,
      hasPreviousPage: start > 0,
      startCursor: nodes[0]?.id ?? null,
      endCursor: nodes.at(-1)?.id ?? null,
    },
  };
}

/** Returns the place after a cursor; 0 without one. */
function startOf(sorted: readonly Row[], isListed: (row: Row) => boolean, after: string | undefined): number {
  if (after === undefined) return 0;
  const position = sorted.findIndex(({ id }) => id === after);
  if (position === -1 || !isListed(sorted[position]!))
    throw inputError('Invalid cursor: the entity it refers to was not found');
  return position + 1;
}

function order(row: Row, field: 'createdAt' | 'updatedAt'): string {
  return `${String(row[field])} ${row.id}`;
}

import { isUuid } from './ids.ts';
import { checkRange, invalidField } from './invalid-field.ts';

/** Items a page where nothing is said, and at most (contract section 3). */
export const pageLimits = { usual: 50, most: 200 } as const;

export interface PageRequest {
  readonly limit?: number | undefined;
  /** `nextCursor` of the page before. */
  readonly cursor?: string | undefined;
}

export interface Page<Item> {
  readonly items: readonly Item[];
  /** Opaque; `null` on the last page. */
  readonly nextCursor: string | null;
}

/**
 * Where a page begins among rows in the order of their ids. Ids are UUIDs of version 7: their order is the order of
 * creation, so the last id of the page before is all a cursor needs.
 * @throws InvalidInput for a limit out of range or a cursor that is none.
 */
export function startAfter({ limit = pageLimits.usual, cursor }: PageRequest): {
  limit: number;
  after: string | undefined;
} {
  checkRange('limit', limit, 1, pageLimits.most);
  if (cursor === undefined) return { limit, after: undefined };
  const after = Buffer.from(cursor, 'base64url').toString('latin1');
  if (!isUuid(after)) throw invalidField('cursor', 'must be the nextCursor of an earlier page, unchanged');
  return { limit, after };
}

/** `items` holds one more than `limit` when another page follows. */
export function pageOf<Item extends { readonly id: string }>(
  items: readonly Item[],
  limit: number,
): Page<Item> {
  const shown = items.slice(0, limit);
  const last = items.length > limit ? shown.at(-1) : undefined;
  return {
    items: shown,
    nextCursor: last === undefined ? null : Buffer.from(last.id, 'latin1').toString('base64url'),
  };
}

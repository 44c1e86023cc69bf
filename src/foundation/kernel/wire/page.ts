import { isUuid } from '../ids.ts';
import { checkRange, invalidField } from './invalid-field.ts';

/** Default and maximum number of items on a page (contract section 3). */
export const pageLimits = { default: 50, max: 200 } as const;

export interface PageRequest {
  readonly limit?: number | undefined;
  /** `nextCursor` of the previous page. */
  readonly cursor?: string | undefined;
}

export interface Page<Item> {
  readonly items: readonly Item[];
  /** Opaque; `null` on the last page. */
  readonly nextCursor: string | null;
}

/**
 * Returns the position of a page among rows ordered by id. Ids are UUIDs of version 7, whose order is the order of
 * creation, so a cursor needs only the last id of the previous page.
 * @throws InvalidInput for a limit out of range or an invalid cursor.
 */
export function startAfter({ limit = pageLimits.default, cursor }: PageRequest): {
  limit: number;
  after: string | undefined;
} {
  checkRange('limit', limit, 1, pageLimits.max);
  if (cursor === undefined) return { limit, after: undefined };
  const after = Buffer.from(cursor, 'base64url').toString('latin1');
  if (!isUuid(after)) throw invalidField('cursor', 'must be the nextCursor of an earlier page, unchanged');
  return { limit, after };
}

/** Builds a page. `items` holds one item more than `limit` if another page follows. */
export function pageOf<Item extends { readonly id: string }>(
  items: readonly Item[],
  limit: number,
): Page<Item> {
  const pageItems = items.slice(0, limit);
  const last = items.length > limit ? pageItems.at(-1) : undefined;
  return {
    items: pageItems,
    nextCursor: last === undefined ? null : Buffer.from(last.id, 'latin1').toString('base64url'),
  };
}

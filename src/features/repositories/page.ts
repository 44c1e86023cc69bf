import { InvalidInput } from '../../foundation/kernel/errors.ts';
import { isRepositoryId } from './repository-id.ts';

/** Contract section 3: `limit` default 50, maximum 200. */
const defaultLimit = 50;
const maxLimit = 200;

export interface PageRequest {
  readonly limit?: number | undefined;
  /** `nextCursor` of the page before. */
  readonly cursor?: string | undefined;
}

export interface Page<Item> {
  readonly items: readonly Item[];
  /** Opaque; `undefined` on the last page. */
  readonly nextCursor: string | undefined;
}

/** @throws InvalidInput */
export function startAfter(request: PageRequest): { limit: number; after: string | undefined } {
  const limit = request.limit ?? defaultLimit;
  if (!Number.isInteger(limit) || limit < 1 || limit > maxLimit) {
    throw fault('limit', `must be a whole number from 1 to ${maxLimit}`);
  }
  if (request.cursor === undefined) return { limit, after: undefined };
  // Ids are UUIDs of version 7: their order is the order of creation, so the last id is all a cursor needs.
  const after = Buffer.from(request.cursor, 'base64url').toString('latin1');
  if (!isRepositoryId(after)) throw fault('cursor', 'must be the nextCursor of an earlier page, unchanged');
  return { limit, after };
}

/** `items` holds one more than `limit` when another page follows. */
export function pageOf<Item extends { readonly id: string }>(
  items: readonly Item[],
  limit: number,
): Page<Item> {
  const shown = items.slice(0, limit);
  const last = items.length > limit ? shown.at(-1) : undefined;
  return { items: shown, nextCursor: last && Buffer.from(last.id, 'latin1').toString('base64url') };
}

function fault(path: string, message: string): InvalidInput {
  return new InvalidInput(`${path} ${message}.`, { errors: [{ path, message }] });
}

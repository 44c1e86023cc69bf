import type { Reply } from '../tracker/http.ts';
import { failure, invalid } from './errors.ts';
import type { Grant } from './oauth.ts';
import type { Subscriptions } from './subscriptions.ts';
import type { Account } from './types.ts';

export interface RestRequest {
  readonly account: Account;
  readonly subscriptions: Subscriptions;
  readonly grant: Grant;
  readonly query: URLSearchParams;
  readonly body: string;
  /** The groups of the route's path. */
  readonly ids: readonly string[];
}

export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: RegExp;
  /** The scope that the token needs; `undefined` if any token may call it. */
  readonly scope: string | undefined;
  /** Parameters of the query that the route knows. */
  readonly parameters: readonly string[];
  answer(request: RestRequest): Reply;
}

export const paging = ['limit', 'offset', 'total'];
/** The provider refuses to look further. */
const maxOffset = 10_000;

/** Returns one page by limit and offset. */
export function pageOf<Item>(
  items: readonly Item[],
  query: URLSearchParams,
  key: string,
  toReply: (item: Item) => object,
): Reply {
  const limit = Number(query.get('limit') ?? 25);
  const offset = Number(query.get('offset') ?? 0);
  if (!Number.isInteger(limit) || limit < 1 || limit > 100) return invalid('limit must be from 1 to 100');
  if (!Number.isInteger(offset) || offset < 0) return invalid('offset must not be negative');
  if (offset + limit > maxOffset) return failure(400, 2002, 'Offset + limit must not exceed 10000');
  const page = items.slice(offset, offset + limit);
  const more = offset + limit < items.length;
  return { status: 200, body: { [key]: page.map(toReply), limit, offset, more, total: null } };
}

import { InvalidInput } from '../../../../foundation/kernel/errors.ts';
import type { ScopeOptionPage, ScopeOptionsRequest } from '../../port.ts';
import { type ScopeKind, scopeKinds } from './queries.ts';
import type { TrackerClient } from './tracker-client.ts';

/** Returns a page of the teams, projects and labels, in this order. A cursor is the kind and the provider's cursor. */
export async function listScopeOptions(
  client: TrackerClient,
  { query, cursor, limit }: ScopeOptionsRequest,
): Promise<ScopeOptionPage> {
  let [kind, after] = positionOf(cursor);
  const filter = query === undefined || query === '' ? {} : { name: { containsIgnoreCase: query } };
  for (;;) {
    const page = await client.scopeOptions(kind, { filter, cursor: after, limit });
    const nextKind = scopeKinds[scopeKinds.indexOf(kind) + 1];
    const next = page.nextCursor === undefined ? nextKind : `${kind}:${page.nextCursor}`;
    if (page.items.length > 0 || next === undefined) {
      const items = page.items.map(({ id, name, description, key, slugId }) => ({
        id,
        kind,
        name,
        key: key ?? slugId,
        description,
      }));
      return { items, nextCursor: next };
    }
    [kind, after] = positionOf(next);
  }
}

function positionOf(cursor: string | undefined): [ScopeKind, string | undefined] {
  const [name, ...rest] = (cursor ?? scopeKinds[0]).split(':');
  const kind = scopeKinds.find((one) => one === name);
  if (kind === undefined)
    throw new InvalidInput('The cursor is not one of this list. Start at the first page.');
  return [kind, rest.length === 0 ? undefined : rest.join(':')];
}

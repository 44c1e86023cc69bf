import { InvalidInput } from '../../../foundation/kernel/errors.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import { printQuery } from './query/zoekt-query.ts';
import { rangeOf } from './search-range.ts';
import type { ZoektClient } from './zoekt-client.ts';

/**
 * A search for symbols that found nothing may have found none because none were indexed.
 * @throws InvalidInput where that is so.
 */
export async function refuseSymbols(
  client: ZoektClient,
  scope: OrgScope,
  signal: AbortSignal,
): Promise<void> {
  const listed = await client.list(printQuery(rangeOf(scope, undefined).query), 5000, signal);
  if (listed.length === 0 || listed.some(({ Repository }) => Repository.HasSymbols)) return;
  const message =
    'Zoekt has indexed no symbols, so sym: finds nothing. Install universal-ctags where the worker runs and sync the repositories.';
  throw new InvalidInput(message, { errors: [{ path: 'q', message }] });
}

import type { DataScope } from '../../../foundation/kernel/org-scope.ts';
import { invalidField } from '../../../foundation/kernel/wire/invalid-field.ts';
import { printQuery } from './query/zoekt-query.ts';
import { rangeOf } from './search-range.ts';
import type { ZoektClient } from './zoekt-client.ts';

/**
 * Checks whether a symbol search found nothing because no symbols are indexed.
 * @throws InvalidInput if that is the case
 */
export async function refuseSymbols(
  client: ZoektClient,
  scope: DataScope,
  signal: AbortSignal,
): Promise<void> {
  const listed = await client.list(printQuery(rangeOf(scope, undefined).query), 5000, signal);
  if (listed.length === 0 || listed.some(({ Repository }) => Repository.HasSymbols)) return;
  const message =
    'Zoekt has no symbols in its index, so sym: finds nothing. Install universal-ctags on the host of the worker and sync the repositories.';
  throw invalidField('q', message, message);
}

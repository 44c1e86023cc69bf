import type { Queries } from '../../../foundation/db/database.ts';
import type { ConnectionId } from '../../../foundation/kernel/ids.ts';
import { batch } from '../../../foundation/kernel/limits/batch.ts';
import { furtherWebhookSecrets } from '../connections/connection.ts';
import type { RoutedConnection } from '../connections/connection-store.ts';
import { type Candidate, type LookUpDeps, toCandidate } from './connections-of-account.ts';

/**
 * Returns the connection with a webhook secret of this name; for `undefined` all with any. Each has those secrets only.
 */
export type ConnectionsOfSecret = (name: string | undefined) => Promise<readonly Candidate[]>;

/** Maximum number of secrets that are tried for an event that names none: each takes a hash of the body. */
const maxTried = 500;
/** Maximum number of names per query. */
const maxGroupSize = 500;

/** Creates a look-up of connections by the name of a webhook secret. It has no cache, as `connectionsOfAccount`. */
export function connectionsOfSecret({ database, keyring }: LookUpDeps, kind: string): ConnectionsOfSecret {
  const lookUp = async (names: readonly (string | undefined)[]) => {
    const fields = new Set(names.flatMap((name) => (name === undefined ? [] : furtherWebhookSecrets + name)));
    const named = fields.size === 0 ? [] : await listSecrets(database.queries, kind, [...fields]);
    const all = names.includes(undefined) ? await listSecrets(database.queries, kind) : [];
    return names.map((name) => {
      const field = furtherWebhookSecrets + (name ?? '');
      const found = name === undefined ? all : named.filter((row) => row.webhookSecrets[0]?.field === field);
      return found.map((row) => toCandidate(row, keyring));
    });
  };
  return batch(lookUp, { maxSize: maxGroupSize });
}

/**
 * Returns the connections of a kind with the given webhook secrets, else with any, in every organization; one entry for
 * each secret. For webhooks only: the secret decides what they may do. No response may contain the result.
 */
async function listSecrets(
  queries: Queries,
  kind: string,
  fields?: readonly string[],
): Promise<readonly RoutedConnection[]> {
  let query = queries
    .selectFrom('connections as c')
    .innerJoin('connection_secrets as s', 's.connection_id', 'c.id')
    .select(['c.id', 'c.account_id', 'c.state', 's.field', 's.envelope'])
    .where('c.kind', '=', kind);
  query =
    fields === undefined
      ? query.where('s.field', 'like', `${furtherWebhookSecrets}%`).limit(maxTried)
      : query.where('s.field', 'in', fields);
  const rows = await query.orderBy('c.id').orderBy('s.field').execute();
  return rows.map(({ id, account_id, state, field, envelope }) => ({
    id: id as ConnectionId,
    accountId: account_id ?? '',
    state,
    webhookSecrets: [{ field, envelope }],
  }));
}

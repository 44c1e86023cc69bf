import type { Queries } from '../../../../foundation/db/database.ts';
import type { ConnectionId } from '../../../../foundation/kernel/ids.ts';
import {
  listSecretFields,
  readSecret,
  removeSecrets,
  saveSecret,
} from '../../../../foundation/secrets/secret-store.ts';
import { SecretUnreadable } from '../../../../foundation/secrets/secret-unreadable.ts';
import { type ConnectorJobsDeps, furtherWebhookSecrets } from '../../port.ts';

/** The secret of a subscription is stored under its id, by which its events are routed. */
const fieldOf = (subscriptionId: string): string => `${furtherWebhookSecrets}${subscriptionId}`;

/** The stored subscriptions of a connection, by id; `usable` is false if the secret cannot be decrypted. */
export async function readOwnSubscriptions(
  { database: { queries }, keyring }: ConnectorJobsDeps,
  connectionId: ConnectionId,
): Promise<ReadonlyMap<string, { readonly usable: boolean }>> {
  const fields = (await listSecretFields(queries, [connectionId])).get(connectionId) ?? new Set();
  const own = new Map<string, { readonly usable: boolean }>();
  for (const field of fields) {
    if (!field.startsWith(furtherWebhookSecrets)) continue;
    const usable = await isReadable(() => readSecret(queries, keyring, { connectionId, field }));
    own.set(field.slice(furtherWebhookSecrets.length), { usable });
  }
  return own;
}

async function isReadable(read: () => Promise<unknown>): Promise<boolean> {
  try {
    await read();
    return true;
  } catch (error) {
    if (error instanceof SecretUnreadable) return false;
    throw error;
  }
}

/** Returns which of the subscriptions belong to other connections of this deployment, in any organization. */
export async function ownedByOthers(
  queries: Queries,
  connectionId: ConnectionId,
  subscriptionIds: readonly string[],
): Promise<ReadonlySet<string>> {
  if (subscriptionIds.length === 0) return new Set();
  const rows = await queries
    .selectFrom('connection_secrets')
    .select('field')
    .where('connection_id', '!=', connectionId)
    .where('field', 'in', subscriptionIds.map(fieldOf))
    .execute();
  return new Set(rows.map(({ field }) => field.slice(furtherWebhookSecrets.length)));
}

/** Saves the secret of a new subscription in place of all former ones. Returns false if the connection was removed. */
export async function saveOwnSubscription(
  tx: Queries,
  { keyring, clock }: ConnectorJobsDeps,
  connectionId: ConnectionId,
  {
    id,
    secret,
    former,
  }: { readonly id: string; readonly secret: string; readonly former: readonly string[] },
): Promise<boolean> {
  // The update locks the row, so that a concurrent removal of the connection sees the new secret or comes first.
  const found = await tx
    .updateTable('connections')
    .set({ id: connectionId })
    .where('id', '=', connectionId)
    .executeTakeFirst();
  if (found.numUpdatedRows === 0n) return false;
  if (former.length > 0) await removeSecrets(tx, connectionId, former.map(fieldOf));
  await saveSecret(tx, keyring, { connectionId, field: fieldOf(id) }, secret, clock());
  return true;
}

import type { Queries } from '../db/database.ts';
import type { ConnectionId } from '../kernel/ids.ts';
import type { Keyring } from './keyring.ts';
import type { SecretPlace } from './secret-place.ts';

/** Saves a secret and replaces an existing one. @throws RangeError for a text over 64 KiB */
export async function saveSecret(
  tx: Queries,
  keyring: Keyring,
  { connectionId, field }: SecretPlace,
  text: string,
  now: number,
): Promise<void> {
  const sealed = {
    envelope: keyring.seal({ connectionId, field }, text),
    key_id: keyring.keyId,
    updated_at: now,
  };
  await tx
    .insertInto('connection_secrets')
    .values({ connection_id: connectionId, field, ...sealed })
    .onConflict((conflict) => conflict.columns(['connection_id', 'field']).doUpdateSet(sealed))
    .execute();
}

/** Reads a secret; `undefined` if none is stored. @throws SecretUnreadable if it cannot be decrypted */
export async function readSecret(
  queries: Queries,
  keyring: Keyring,
  place: SecretPlace,
): Promise<string | undefined> {
  const row = await queries
    .selectFrom('connection_secrets')
    .select('envelope')
    .where('connection_id', '=', place.connectionId)
    .where('field', '=', place.field)
    .executeTakeFirst();
  return row && keyring.open(place, row.envelope);
}

/** Deletes all secrets of a connection, or those of some fields. */
export async function removeSecrets(
  tx: Queries,
  connectionId: ConnectionId,
  fields?: readonly string[],
): Promise<void> {
  let removal = tx.deleteFrom('connection_secrets').where('connection_id', '=', connectionId);
  if (fields !== undefined) removal = removal.where('field', 'in', fields);
  await removal.execute();
}

/** Returns the fields of each connection that have a stored secret. Nothing is decrypted. */
export async function listSecretFields(
  queries: Queries,
  connectionIds: readonly ConnectionId[],
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const fields = new Map<string, Set<string>>(connectionIds.map((id) => [id, new Set()]));
  if (connectionIds.length === 0) return fields;
  const rows = await queries
    .selectFrom('connection_secrets')
    .select(['connection_id', 'field'])
    .where('connection_id', 'in', connectionIds)
    .execute();
  for (const row of rows) fields.get(row.connection_id)?.add(row.field);
  return fields;
}

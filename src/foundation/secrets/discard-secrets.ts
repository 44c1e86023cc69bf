import { sql } from 'kysely';
import type { Database, Queries } from '../db/database.ts';
import { dialectOf } from '../db/dialect.ts';
import { givenRows } from '../db/given-rows.ts';
import { placeOf, type UnreadableSecret } from './sealed-secrets.ts';
import type { SecretPlace } from './secret-place.ts';

/** Number of rows per transaction. */
const sliceSize = 100;

/** Records deleted secrets in the transaction that deletes them. */
export type RecordSecrets = (tx: Queries, discarded: readonly SecretPlace[]) => Promise<void>;

/**
 * Deletes secrets that cannot be decrypted, for recovery after the loss of a key. Yields the secrets that each
 * transaction deleted. A secret that was saved again since it was read is kept.
 */
export async function* discardSecrets(
  database: Database,
  unreadable: readonly UnreadableSecret[],
  record: RecordSecrets,
): AsyncGenerator<readonly SecretPlace[], void> {
  for (let begin = 0; begin < unreadable.length; begin += sliceSize) {
    const slice = unreadable.slice(begin, begin + sliceSize);
    yield await database.transaction(async (tx) => {
      const discarded = await discardSlice(tx, slice);
      if (discarded.length > 0) await record(tx, discarded);
      return discarded;
    });
  }
}

async function discardSlice(
  tx: Queries,
  slice: readonly UnreadableSecret[],
): Promise<readonly SecretPlace[]> {
  const columns = { connection_id: 'text', field: 'text', envelope: 'text' } as const;
  const rows = slice.map(({ connectionId, field, envelope }) => ({
    connection_id: connectionId,
    field,
    envelope,
  }));
  const { rows: deleted } = await sql<{ connection_id: string; field: string }>`
    delete from connection_secrets
    where (connection_id, field, envelope) in (
      select connection_id, field, envelope from ${givenRows(dialectOf(tx), columns, rows)})
    returning connection_id, field`.execute(tx);
  return deleted.map(placeOf);
}

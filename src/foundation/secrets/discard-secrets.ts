import { sql } from 'kysely';
import type { Database } from '../db/database.ts';
import { dialectOf } from '../db/dialect.ts';
import { givenRows } from '../db/given-rows.ts';
import { placeOf, type UnreadableSecret } from './sealed-secrets.ts';
import type { SecretPlace } from './secret-place.ts';

/** Number of rows per transaction. */
const sliceSize = 100;

/**
 * Deletes secrets that cannot be decrypted, for recovery after the loss of a key. Yields the secrets that each
 * transaction deleted. A secret that was saved again since it was read is kept.
 */
export async function* discardSecrets(
  database: Database,
  unreadable: readonly UnreadableSecret[],
): AsyncGenerator<readonly SecretPlace[], void> {
  for (let begin = 0; begin < unreadable.length; begin += sliceSize) {
    yield await discardSlice(database, unreadable.slice(begin, begin + sliceSize));
  }
}

async function discardSlice(
  { queries }: Database,
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
      select connection_id, field, envelope from ${givenRows(dialectOf(queries), columns, rows)})
    returning connection_id, field`.execute(queries);
  return deleted.map(placeOf);
}

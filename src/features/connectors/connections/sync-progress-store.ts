import type { Queries } from '../../../foundation/db/database.ts';
import { parseJsonColumn } from '../../../foundation/db/json-column.ts';
import type { ConnectionId } from '../../../foundation/kernel/ids.ts';
import { endRebuild } from '../../mirror/rebuild-store.ts';
import { type ConnectionError, connectionError, type SyncRun } from './connection.ts';

/** Returns why the jobs of a connection fail until a person fixes it. Its caller knows whose connection it is. */
export async function readSyncError(
  queries: Queries,
  id: ConnectionId,
): Promise<ConnectionError | undefined> {
  const row = await queries
    .selectFrom('connection_syncs')
    .select('error')
    .where('connection_id', '=', id)
    .executeTakeFirst();
  return parseJsonColumn(connectionError, row?.error ?? null);
}

/** Saves the run that goes on. `undefined` ends it, at `now`, and the rebuild that it was started for. */
export async function saveRun(
  tx: Queries,
  id: ConnectionId,
  present: SyncRun | undefined,
  now: number,
): Promise<void> {
  const columns = { run: present === undefined ? null : JSON.stringify(present) };
  await tx
    .insertInto('connection_syncs')
    .values({ connection_id: id, ...columns })
    .onConflict((conflict) => conflict.column('connection_id').doUpdateSet(columns))
    .execute();
  if (present !== undefined) return;
  await tx.updateTable('connections').set({ last_sync_at: now }).where('id', '=', id).execute();
  await endRebuild(tx, id);
}

/** Saves why the jobs of a connection fail, or that they no longer do. Returns false if that is known already. */
export async function saveSyncError(
  tx: Queries,
  id: ConnectionId,
  error: ConnectionError | undefined,
): Promise<boolean> {
  const text = error === undefined ? null : JSON.stringify(error);
  if (text !== null) {
    await tx
      .insertInto('connection_syncs')
      .values({ connection_id: id })
      .onConflict((conflict) => conflict.column('connection_id').doNothing())
      .execute();
  }
  const changed = await tx
    .updateTable('connection_syncs')
    .set({ error: text })
    .where('connection_id', '=', id)
    .where('error', 'is distinct from', text)
    .executeTakeFirst();
  return changed.numUpdatedRows > 0n;
}

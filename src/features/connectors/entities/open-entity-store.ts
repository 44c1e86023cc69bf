import type { Queries } from '../../../foundation/db/database.ts';
import { forUpdate } from '../../../foundation/db/dialect.ts';
import { readQueueTime } from '../../../foundation/jobs/queue-time.ts';
import { systemClock } from '../../../foundation/kernel/clock.ts';
import type { ConnectionId, MirrorTargetId } from '../../../foundation/kernel/ids.ts';
import type { ConnectorRecords } from '../../mirror/format/record-kind.ts';
import { rebuildOf } from '../../mirror/rebuild-store.ts';

/** The mirrored entities of one connection, locked by one transaction. */
export interface EntityStore {
  readonly tx: Queries;
  readonly connectionId: ConnectionId;
  readonly targetId: MirrorTargetId;
  /** The records of the connector. */
  readonly records: ConnectorRecords;
  /** True while all files of the connection are being written again. */
  readonly isRebuilding: boolean;
  /** Time of the transaction, by the clock of the queue. */
  readonly now: number;
}

/**
 * Locks what a connection mirrors until the transaction ends, so that jobs of one connection change it one at a time.
 * Returns `undefined` if the connection was removed or has no context repository. For jobs only; requests must not use
 * it, because it takes no organization.
 */
export async function openEntityStore(
  tx: Queries,
  { connectionId, records }: Pick<EntityStore, 'connectionId' | 'records'>,
): Promise<EntityStore | undefined> {
  const connection = await tx
    .selectFrom('connections')
    .select('target_id')
    .where('id', '=', connectionId)
    .executeTakeFirst();
  if (connection?.target_id == null) return undefined;
  await tx
    .insertInto('entity_stores')
    .values({ connection_id: connectionId })
    .onConflict((conflict) => conflict.column('connection_id').doNothing())
    .execute();
  await forUpdate(
    tx,
    tx.selectFrom('entity_stores').select('connection_id').where('connection_id', '=', connectionId),
  ).execute();
  const targetId = connection.target_id as MirrorTargetId;
  const now = await readQueueTime(tx, systemClock);
  const isRebuilding = (await rebuildOf(tx, connectionId)) !== undefined;
  return { tx, connectionId, targetId, records, isRebuilding, now };
}

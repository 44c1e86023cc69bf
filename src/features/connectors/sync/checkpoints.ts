import type { z } from 'zod';
import type { Queries } from '../../../foundation/db/database.ts';
import type { ConnectionId } from '../../../foundation/kernel/ids.ts';
import type { EntityStore } from '../entities/open-entity-store.ts';

/** Returns how far a family was read; `undefined` if it was never read. For jobs only. */
export async function readCheckpoint<T>(
  queries: Queries,
  connectionId: ConnectionId,
  family: string,
  shape: z.ZodType<T>,
): Promise<T | undefined> {
  const row = await queries
    .selectFrom('sync_checkpoints')
    .select('state')
    .where('connection_id', '=', connectionId)
    .where('family', '=', family)
    .executeTakeFirst();
  return row && shape.parse(JSON.parse(row.state));
}

/** Saves how far a family was read, in the transaction that queues what was read. */
export async function saveCheckpoint(
  { tx, connectionId }: Pick<EntityStore, 'tx' | 'connectionId'>,
  family: string,
  state: object,
): Promise<void> {
  await tx
    .insertInto('sync_checkpoints')
    .values({ connection_id: connectionId, family, state: JSON.stringify(state) })
    .onConflict((conflict) =>
      conflict
        .columns(['connection_id', 'family'])
        .doUpdateSet((eb) => ({ state: eb.ref('excluded.state') })),
    )
    .execute();
}

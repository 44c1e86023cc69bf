import type { Queries } from '../../foundation/db/database.ts';
import { enqueue } from '../../foundation/jobs/enqueue.ts';
import type { ConnectionId, MirrorTargetId } from '../../foundation/kernel/ids.ts';
import { mirrorCommit } from './tasks.ts';

/**
 * Begins a rebuild of a connection: from now on its changes of class `rebuild` wait until `endRebuild`, so that they
 * become one commit. Another one begins anew.
 */
export async function beginRebuild(
  tx: Queries,
  targetId: MirrorTargetId,
  connectionId: ConnectionId,
): Promise<void> {
  await tx
    .insertInto('mirror_rebuilds')
    .values({ target_id: targetId, connection_id: connectionId, started: 0 })
    .onConflict((conflict) =>
      conflict.column('connection_id').doUpdateSet({ target_id: targetId, started: 0 }),
    )
    .execute();
}

/** Returns how far the rebuild of a connection is; `undefined` if there is none. */
export async function rebuildOf(
  queries: Queries,
  connectionId: ConnectionId,
): Promise<'requested' | 'started' | undefined> {
  const row = await queries
    .selectFrom('mirror_rebuilds')
    .select('started')
    .where('connection_id', '=', connectionId)
    .executeTakeFirst();
  return row && (row.started === 0 ? 'requested' : 'started');
}

/** Records that the provider is read from its beginning from now on. Only the end of that ends a rebuild. */
export async function startRebuild(tx: Queries, connectionId: ConnectionId): Promise<void> {
  await tx
    .updateTable('mirror_rebuilds')
    .set({ started: 1 })
    .where('connection_id', '=', connectionId)
    .execute();
}

/** Ends a rebuild that was started, and starts its commit. */
export async function endRebuild(tx: Queries, connectionId: ConnectionId): Promise<void> {
  const ended = await tx
    .deleteFrom('mirror_rebuilds')
    .where('connection_id', '=', connectionId)
    .where('started', '=', 1)
    .returning('target_id as targetId')
    .$narrowType<{ targetId: MirrorTargetId }>()
    .executeTakeFirst();
  if (ended !== undefined) await enqueue(tx, mirrorCommit, { targetId: ended.targetId });
}

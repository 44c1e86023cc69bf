import { enqueue, enqueueAll } from '../../../../foundation/jobs/enqueue.ts';
import type { JobContext } from '../../../../foundation/jobs/handler.ts';
import { readQueueTime } from '../../../../foundation/jobs/queue-time.ts';
import { isPermanent } from '../../../../foundation/jobs/retry-decision.ts';
import { systemClock } from '../../../../foundation/kernel/clock.ts';
import { OrgctxError } from '../../../../foundation/kernel/errors.ts';
import type { ConnectionId } from '../../../../foundation/kernel/ids.ts';
import { type AuthorizedConnection, authorizedStates, type ConnectorJobsDeps } from '../../port.ts';
import { readNotes, saveNote } from '../../sync/sync-store.ts';
import { missingServices } from '../sync/oncall-scope.ts';
import { clientOf } from '../sync/session.ts';
import { oncallSubscribe, oncallTasks } from '../tasks.ts';
import { type Ensured, ensureSubscription } from './ensure-subscription.ts';

/**
 * Ensures the subscription of a connection and finds what was missed without it. It is the last step of each comparison
 * with the provider, so that its success clears the error of the connection, unless its scope names unknown services.
 * Without a subscription the connection still follows the log of the provider: a lasting failure stands on the
 * connection, and the next comparison tries again.
 */
export async function subscribe(
  deps: ConnectorJobsDeps,
  context: JobContext,
  connection: AuthorizedConnection,
  refused: ReadonlySet<string>,
): Promise<void> {
  const connectionId = connection.id;
  try {
    const client = clientOf(deps, connection, context.signal);
    const ensured = await ensureSubscription(deps, client, connection, context);
    await noteDisabled(deps, connectionId, ensured);
    const synced = await deps.open(connectionId);
    // Without it, events may have been missed.
    if (ensured !== 'kept' && synced !== undefined) {
      const next = { connectionId, full: false };
      await deps.database.transaction((tx) => enqueue(tx, oncallTasks.content, next, { runAt: 0 }));
    }
    const isComplete = synced !== undefined && !refused.has('services');
    await deps.saveSyncError(connectionId, isComplete ? await missingServices(deps, synced) : undefined);
  } catch (error) {
    const isLasting = error instanceof OrgctxError && isPermanent(error);
    if (!isLasting || (await deps.open(connectionId)) === undefined) throw error;
    context.log.warn({ err: error, connectionId }, 'a webhook subscription is missing');
    await deps.saveSyncError(connectionId, { code: error.code, message: error.message });
  }
}

/** Time for which the record names a subscription that was disabled, in milliseconds. */
const noteMs = 86_400_000;

/** Notes for a day that the provider had disabled the subscription. */
async function noteDisabled(
  { database: { queries } }: ConnectorJobsDeps,
  connectionId: ConnectionId,
  ensured: Ensured,
): Promise<void> {
  const topic = 'webhook';
  const now = await readQueueTime(queries, systemClock);
  if (ensured === 'resumed') {
    const message =
      'The provider had disabled the webhook subscription. It is enabled again, and what happened meanwhile is read from the log. If that repeats, check that the provider reaches this service.';
    return saveNote(queries, connectionId, topic, { code: 'webhook_disabled', message, at: now });
  }
  const former = (await readNotes(queries, connectionId)).get(topic);
  if (former !== undefined && now - former.at > noteMs)
    await saveNote(queries, connectionId, topic, undefined);
}

/** Enqueues the check of every authorized connection. Its requests also keep the tokens alive, which end unused. */
export async function keepAlive({ database }: ConnectorJobsDeps, context: JobContext): Promise<void> {
  await database.transaction(async (tx) => {
    await context.assertHeld(tx);
    const rows = await tx
      .selectFrom('connections')
      .select('id')
      .where('kind', '=', 'oncall')
      .where('state', 'in', authorizedStates)
      .execute();
    const checks = rows.map(({ id }) => ({ connectionId: id as ConnectionId }));
    await enqueueAll(tx, oncallSubscribe, checks);
  });
}

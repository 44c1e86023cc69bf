import { enqueue, enqueueAll } from '../../../../foundation/jobs/enqueue.ts';
import type { JobContext } from '../../../../foundation/jobs/handler.ts';
import { isPermanent } from '../../../../foundation/jobs/retry-decision.ts';
import { OrgctxError } from '../../../../foundation/kernel/errors.ts';
import type { ConnectionId } from '../../../../foundation/kernel/ids.ts';
import { type AuthorizedConnection, authorizedStates, type ConnectorJobsDeps } from '../../port.ts';
import { missingServices } from '../sync/missing-services.ts';
import { clientOf } from '../sync/session.ts';
import { oncallSubscribe, oncallSyncContent } from '../tasks.ts';
import { ensureSubscription } from './ensure-subscription.ts';

/**
 * Ensures the subscription of a connection and finds what was missed without it. It is the last step of each comparison
 * with the provider, so that its success clears the error of the connection, unless its scope names unknown services.
 * Without a subscription the connection still follows the log of the provider: a lasting failure stands on the
 * connection, and the next comparison tries again.
 */
export async function subscribe(
  deps: ConnectorJobsDeps,
  connection: AuthorizedConnection,
  context: JobContext,
): Promise<void> {
  const connectionId = connection.id;
  try {
    const mayHaveMissed = await ensureSubscription(deps, clientOf(deps, connection), connection, context);
    const synced = await deps.open(connectionId);
    if (mayHaveMissed && synced !== undefined) {
      const next = { connectionId, full: false };
      await deps.database.transaction((tx) => enqueue(tx, oncallSyncContent, next, { runAt: 0 }));
    }
    await deps.saveSyncError(connectionId, synced && (await missingServices(deps, synced)));
  } catch (error) {
    const isLasting = error instanceof OrgctxError && isPermanent(error);
    if (!isLasting || (await deps.open(connectionId)) === undefined) throw error;
    context.log.warn({ err: error, connectionId }, 'a webhook subscription is missing');
    await deps.saveSyncError(connectionId, { code: error.code, message: error.message });
  }
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
    await enqueueAll(
      tx,
      oncallSubscribe,
      rows.map(({ id }) => ({ connectionId: id as ConnectionId })),
    );
  });
}

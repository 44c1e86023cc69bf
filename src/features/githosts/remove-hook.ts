import type { Queries } from '../../foundation/db/database.ts';
import { enqueue } from '../../foundation/jobs/enqueue.ts';
import type { JobContext } from '../../foundation/jobs/handler.ts';
import { isLastRun } from '../../foundation/jobs/retry-decision.ts';
import { OrgctxError } from '../../foundation/kernel/errors.ts';
import type { ConnectionId, OrganizationId } from '../../foundation/kernel/ids.ts';
import { openHooks } from './ensure-hook.ts';
import { isFollowed } from './githost-users.ts';
import type { GithostsDeps } from './githosts-deps.ts';
import { githostUnhook, type LeftRepository } from './tasks.ts';

/**
 * Starts the removal of the webhook of a repository that is removed or now read elsewhere, in the transaction of that
 * change. Does nothing for a repository that never had one.
 */
export async function leaveHook(
  tx: Queries,
  organizationId: OrganizationId,
  {
    githostConnectionId,
    hostRepositoryId,
    source,
  }: {
    readonly githostConnectionId: string | undefined;
    readonly hostRepositoryId: string | undefined;
    readonly source: string;
  },
): Promise<void> {
  if (githostConnectionId === undefined || hostRepositoryId === undefined) return;
  const connectionId = githostConnectionId as ConnectionId;
  await enqueue(tx, githostUnhook, {
    organizationId,
    githostConnectionId: connectionId,
    hostRepositoryId,
    source,
  });
}

/**
 * Removes the webhook that `ensurePushHook` added, as a job, unless a repository of the organization, such as another
 * branch, needs it. A host that still refuses at the last attempt keeps it; its pushes are ignored.
 */
export async function removeHook(
  deps: GithostsDeps,
  { organizationId, githostConnectionId, hostRepositoryId: id, source }: LeftRepository,
  context: JobContext,
): Promise<void> {
  const { queries } = deps.database;
  if (await isFollowed(queries, { organizationId }, { githostConnectionId, id })) return;
  try {
    const opened = await openHooks(deps, { organizationId }, githostConnectionId);
    await opened?.host.removeHook({ id, fullName: source }, opened.url, context.signal);
  } catch (error) {
    const isFinal = error instanceof OrgctxError && isLastRun(error, context);
    context.log.warn({ err: error, source }, 'the webhook of a repository was not removed at its Git host');
    if (context.signal.aborted || !isFinal) throw error;
  }
}

/** Returns whether webhooks of a connection are still to be removed at its host. */
export async function hasHooksToRemove(tx: Queries, id: ConnectionId): Promise<boolean> {
  const job = await tx
    .selectFrom('jobs')
    .select('id')
    .where('task', '=', githostUnhook.name)
    .where('key', 'like', `${id}/%`)
    .where('state', '!=', 'dead')
    .executeTakeFirst();
  return job !== undefined;
}

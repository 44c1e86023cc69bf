import { sql } from 'kysely';
import type { Queries } from '../../foundation/db/database.ts';
import { enqueue } from '../../foundation/jobs/enqueue.ts';
import type { JobContext } from '../../foundation/jobs/handler.ts';
import { isLastRun } from '../../foundation/jobs/retry-decision.ts';
import { OrgctxError } from '../../foundation/kernel/errors.ts';
import type { ConnectionId, OrganizationId } from '../../foundation/kernel/ids.ts';
import { hookUrl, needsHooks, openHooks } from './ensure-hook.ts';
import { findGithost } from './githost-store.ts';
import { isFollowed } from './githost-users.ts';
import type { GithostsDeps } from './githosts-deps.ts';
import { fullNameAt } from './host-repositories.ts';
import { openHost } from './open-host.ts';
import { githostUnhook, type LeftRepository } from './tasks.ts';

/**
 * Starts the removal of the webhook of a repository that is removed or now read elsewhere, in the transaction of that
 * change. Does nothing for a repository that never had one.
 */
export async function leaveHook(
  tx: Queries,
  organizationId: OrganizationId,
  left: {
    readonly githostConnectionId: string | undefined;
    readonly hostRepositoryId: string | undefined;
    readonly source: string;
    readonly leaverId?: ConnectionId;
  },
): Promise<void> {
  const { hostRepositoryId, source, leaverId } = left;
  if (left.githostConnectionId === undefined || hostRepositoryId === undefined) return;
  const githostConnectionId = left.githostConnectionId as ConnectionId;
  await enqueue(tx, githostUnhook, {
    organizationId,
    githostConnectionId,
    hostRepositoryId,
    source,
    leaverId,
  });
}

/**
 * Removes the webhook that `ensurePushHook` added, or one of the connection that left, as a job, unless a repository of
 * the organization, such as another branch, needs it. A host that still refuses at the last attempt keeps it; its
 * pushes are ignored.
 */
export async function removeHook(
  deps: GithostsDeps,
  left: LeftRepository,
  context: JobContext,
): Promise<void> {
  const { source, hostRepositoryId: id } = left;
  const { queries } = deps.database;
  if (await isFollowed(queries, left)) return;
  try {
    const opened = await openLeftHook(deps, left);
    if (opened === undefined) return;
    const fullName = fullNameAt(opened.connection, source);
    await opened.host.removeHook({ id, fullName }, opened.url, context.signal);
  } catch (error) {
    const isFinal = error instanceof OrgctxError && isLastRun(error, context);
    context.log.warn({ err: error, source }, 'the webhook of a repository was not removed at its Git host');
    if (context.signal.aborted || !isFinal) throw error;
  }
}

async function openLeftHook(deps: GithostsDeps, left: LeftRepository) {
  const { githostConnectionId, leaverId } = left;
  if (leaverId === undefined) return openHooks(deps, left, githostConnectionId);
  const { queries } = deps.database;
  const connection = await findGithost(queries, left, githostConnectionId);
  if (connection === undefined || connection.state === 'pending') return undefined;
  const opened = await openHost({ ...deps, queries }, connection);
  if (!needsHooks(opened)) return undefined;
  return { connection, host: opened.host, url: hookUrl(deps.baseUrl, leaverId) };
}

/**
 * Returns whether webhooks are still to be removed at the host of a connection. The job that ends a removed connection
 * to a provider belongs to a feature that imports this one.
 */
export async function hasHooksToRemove(tx: Queries, id: ConnectionId): Promise<boolean> {
  const job = await tx
    .selectFrom('jobs')
    .select('id')
    .where('state', '!=', 'dead')
    .where((e) =>
      e.or([
        e.and([e('task', '=', githostUnhook.name), e('key', 'like', `${id}/%`)]),
        e.and([
          e('task', '=', 'connection-disconnect'),
          sql<boolean>`cast(payload as text) like ${`%${id}%`}`,
        ]),
      ]),
    )
    .executeTakeFirst();
  return job !== undefined;
}

import type { HookEvent } from '../../../../backends/git-providers/port.ts';
import type { Database } from '../../../../foundation/db/database.ts';
import { enqueue } from '../../../../foundation/jobs/enqueue.ts';
import type { Clock } from '../../../../foundation/kernel/clock.ts';
import type { HeldBody } from '../../../../foundation/kernel/limits/body-budget.ts';
import type { GithostConnection } from '../../../githosts/githost-connection.ts';
import type { GithostsDeps } from '../../../githosts/githosts-deps.ts';
import { githostCheck } from '../../../githosts/tasks.ts';
import { sourceOfOwnPush } from '../../../mirror/mirror-target-store.ts';
import { hostedIdKey } from '../../../mirror/repository-key.ts';
import { syncChanged } from '../../../repositories/following/sync-changed.ts';
import { checkPushedConnections } from '../../configuration/due-connections.ts';
import type { ReceivedWebhook, TaskConnector } from '../../port.ts';
import { insertDeliveries, type NewDelivery, receivedDelivery } from '../delivery-store.ts';
import type { IntakeStatus } from '../receive-webhook.ts';
import type { RejectedDeliveries } from '../rejected-deliveries.ts';
import { signatureInvalid } from '../webhook-refused.ts';
import { requirePushTarget } from './push-target.ts';

export interface PushDeps {
  readonly database: Database;
  readonly githosts?: GithostsDeps;
  /** Their configurations are read after pushes. */
  readonly sources: readonly TaskConnector[];
  readonly rejected: RejectedDeliveries;
  readonly clock: Clock;
}

/** The source name in the rows of deliveries. */
export const pushSource = 'githost';

/**
 * Stores a webhook of a Git host and starts the fetch of the repositories it is about, or the check of the connection
 * whose installation changed, in one transaction. The body is verified before it is parsed; a delivery that is known
 * already starts nothing.
 * @throws WebhookRefused, InvalidInput, Unavailable
 */
export async function receivePush(
  deps: PushDeps,
  id: string,
  webhook: ReceivedWebhook,
  held?: HeldBody,
): Promise<IntakeStatus> {
  const done = held?.use();
  try {
    const receivedAt = deps.clock();
    const target = await requirePushTarget(deps.githosts, id);
    const described = receivedDelivery(pushSource, webhook, receivedAt);
    if (!target.secrets.some((secret) => target.reader.verify(webhook, secret))) {
      const refused = { outcome: 'rejected', reason: 'signature_invalid' } as const;
      deps.rejected.record([], receivedAt, () => ({ ...described, ...refused }));
      throw signatureInvalid();
    }
    const event = target.reader.read(webhook);
    const connection = await target.connectionOf(event);
    const key = target.reader.deliveryIdOf(webhook).slice(0, 200);
    return await store(deps, { ...described, deliveryKey: key }, event, connection);
  } finally {
    done?.();
  }
}

async function store(
  { database, clock, sources }: PushDeps,
  described: Omit<NewDelivery, 'outcome'>,
  event: HookEvent,
  connection: GithostConnection | undefined,
): Promise<IntakeStatus> {
  const reason = reasonToIgnore(event, connection);
  const outcome = reason === undefined ? 'accepted' : 'ignored';
  return database.transaction(async (tx) => {
    // First, so that of two equal deliveries at the same time only one starts a fetch.
    const named = { connectionId: connection?.id, event: event.kind };
    const added = await insertDeliveries(tx, [{ ...described, ...named, outcome, reason }]);
    if (!added.has(described.id)) return 'duplicate';
    if (reason !== undefined || connection === undefined || event.kind === 'ignored') return 'ignored';
    const { organizationId, id: githostConnectionId, apiUrl } = connection;
    if (event.kind === 'installation') {
      await enqueue(tx, githostCheck, { organizationId, githostConnectionId }, { runAt: 0 });
      return 'accepted';
    }
    const { id: hostRepositoryId } = event.repository;
    const branch = event.kind === 'push' ? event.branch : undefined;
    const commit = event.kind === 'push' ? event.after : undefined;
    const push = { organizationId, repository: hostedIdKey(apiUrl, hostRepositoryId), branch, commit };
    const syncedSource = await sourceOfOwnPush(tx, push);
    const change = { organizationId, githostConnectionId, hostRepositoryId, branch, syncedSource };
    const synced = await syncChanged(tx, change, clock());
    const checked = await checkPushedConnections(tx, sources, push);
    return synced + checked === 0 ? 'ignored' : 'accepted';
  });
}

function reasonToIgnore(event: HookEvent, connection: GithostConnection | undefined): string | undefined {
  if (event.kind === 'ignored') return event.reason.slice(0, 100);
  if (connection === undefined) return 'no_connection';
  const isOther = event.kind === 'installation' && connection.installationId !== event.installationId;
  return isOther ? event.kind : undefined;
}

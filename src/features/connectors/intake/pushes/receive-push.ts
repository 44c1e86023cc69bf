import { hash } from 'node:crypto';
import type { HookEvent } from '../../../../backends/git-providers/port.ts';
import type { Database, Queries } from '../../../../foundation/db/database.ts';
import { enqueue } from '../../../../foundation/jobs/enqueue.ts';
import type { Clock } from '../../../../foundation/kernel/clock.ts';
import { type DeliveryId, newId } from '../../../../foundation/kernel/ids.ts';
import type { HeldBody } from '../../../../foundation/kernel/limits/body-budget.ts';
import type { GithostConnection } from '../../../githosts/githost-connection.ts';
import type { GithostsDeps } from '../../../githosts/githosts-deps.ts';
import { githostCheck } from '../../../githosts/tasks.ts';
import { sourceOfOwnPush } from '../../../mirror/mirror-target-store.ts';
import { hostedIdKey } from '../../../mirror/repository-key.ts';
import { type HostedChange, syncChanged } from '../../../repositories/following/sync-changed.ts';
import { type ContextPush, checkPushedConnections } from '../../configuration/due-connections.ts';
import type { Connector, ReceivedWebhook } from '../../port.ts';
import { insertDeliveries, type NewDelivery } from '../delivery-store.ts';
import type { IntakeStatus } from '../receive-webhook.ts';
import type { RejectedDeliveries } from '../rejected-deliveries.ts';
import { signatureInvalid } from '../webhook-refused.ts';
import { requirePushTarget } from './push-target.ts';

export interface PushDeps {
  readonly database: Database;
  readonly githosts: GithostsDeps | undefined;
  /** Default: none. */
  readonly connectors?: readonly Connector[] | undefined;
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
    const described = {
      id: newId<DeliveryId>(receivedAt),
      source: pushSource,
      entities: [],
      bodyHash: hash('sha256', webhook.body),
      bodyBytes: webhook.body.length,
      receivedAt,
    };
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
  { database, clock, connectors = [] }: PushDeps,
  described: Omit<NewDelivery, 'outcome'>,
  event: HookEvent,
  connection: GithostConnection | undefined,
): Promise<IntakeStatus> {
  const change = connection && changeOf(event, connection);
  const isInstalled = event.kind === 'installation' && connection?.installationId === event.installationId;
  const isIgnored = change === undefined && !isInstalled;
  const outcome = isIgnored
    ? ({ outcome: 'ignored', reason: reasonToIgnore(event, connection) } as const)
    : ({ outcome: 'accepted' } as const);
  return database.transaction(async (tx) => {
    // First, so that of two equal deliveries at the same time only one starts a fetch.
    const delivery = { ...described, ...outcome, connectionId: connection?.id, event: event.kind };
    const added = await insertDeliveries(tx, [delivery]);
    if (!added.has(described.id)) return 'duplicate';
    if (isInstalled && connection !== undefined) {
      const { organizationId, id: githostConnectionId } = connection;
      await enqueue(tx, githostCheck, { organizationId, githostConnectionId }, { runAt: 0 });
      return 'accepted';
    }
    if (change === undefined) return 'ignored';
    const commit = event.kind === 'push' ? event.after : undefined;
    const push = { ...change, apiUrl: connection?.apiUrl ?? '', commit };
    const synced = await syncChanged(tx, { ...change, syncedSource: await ownSourceOf(tx, push) }, clock());
    const checked = await checkPushedConnections(tx, connectors, push);
    return synced + checked === 0 ? 'ignored' : 'accepted';
  });
}

function reasonToIgnore(event: HookEvent, connection: GithostConnection | undefined): string {
  if (event.kind === 'ignored') return event.reason.slice(0, 100);
  return connection === undefined ? 'no_connection' : event.kind;
}

/** Returns the address at which this service itself pushed the commit; `undefined` if somebody else did. */
async function ownSourceOf(tx: Queries, push: ContextPush): Promise<string | undefined> {
  const { organizationId, apiUrl, hostRepositoryId, branch, commit } = push;
  if (branch === undefined || commit === undefined) return undefined;
  const repository = hostedIdKey(apiUrl, hostRepositoryId);
  return sourceOfOwnPush(tx, { organizationId, repository, branch, commit });
}

/** Returns what an event changes; `undefined` if it concerns no repository. */
function changeOf(event: HookEvent, { id, organizationId }: GithostConnection): HostedChange | undefined {
  if (event.kind !== 'push' && event.kind !== 'repository') return undefined;
  return {
    organizationId,
    githostConnectionId: id,
    hostRepositoryId: event.repository.id,
    branch: event.kind === 'push' ? event.branch : undefined,
  };
}

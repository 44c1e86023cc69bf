import type { Clock } from '../../../foundation/kernel/clock.ts';
import { OrgctxError } from '../../../foundation/kernel/errors.ts';
import { type ConnectionId, type DeliveryId, newId } from '../../../foundation/kernel/ids.ts';
import type { HeldBody } from '../../../foundation/kernel/limits/body-budget.ts';
import type { SenderNetwork } from '../../../foundation/kernel/limits/sender-network.ts';
import { currentTraceparent } from '../../../foundation/telemetry/trace-context.ts';
import type { ReceivedWebhook, WebhookEvent } from '../port.ts';
import type { Candidate, Candidates } from './candidates.ts';
import { type NewDelivery, receivedDelivery } from './delivery-store.ts';
import type { SubmitDeliveries } from './group-commit.ts';
import type { UnnamedQueue } from './intake-gate.ts';
import type { RejectedDeliveries } from './rejected-deliveries.ts';
import {
  checkAge,
  type Named,
  readVerified,
  triesEverySecret,
  type UnreadSecrets,
  unreadOf,
  type WebhookSource,
} from './verify-webhook.ts';

/** The result that the sender receives (contract section 3). */
export type IntakeStatus = 'accepted' | 'ignored' | 'duplicate';

export interface ReceiveDeps {
  readonly source: WebhookSource;
  readonly candidates: Candidates;
  readonly submit: SubmitDeliveries;
  readonly rejected: RejectedDeliveries;
  readonly unnamed: UnnamedQueue;
  readonly clock: Clock;
}

/**
 * Peeks at the account ids, verifies the raw bytes, reads them and stores the deliveries. Bytes without an account id
 * cause no database query. `held` counts the body until it is verified; storing needs only its hash and references,
 * so the body is not counted while the database is slow.
 */
export function receiveWebhook(
  deps: ReceiveDeps,
  webhook: ReceivedWebhook,
  held?: HeldBody,
  sender: readonly SenderNetwork[] = [],
): Promise<IntakeStatus> {
  const ended = held?.use();
  const verified = triesEverySecret(deps.source, webhook.headers)
    ? deps.unnamed(sender, () => verify(deps, webhook))
    : verify(deps, webhook);
  // Not awaited here: a promise that waits for the database below must not keep the body in memory.
  return verified.finally(ended).then((result) => store(deps.submit, result));
}

async function store(submit: SubmitDeliveries, { deliveries, unread }: Verified): Promise<IntakeStatus> {
  const status = statusOf(deliveries, await submit(deliveries));
  // Thrown only now, so that the error of one connection loses no event of another; for that one the next delivery is
  // a duplicate.
  if (unread !== undefined) throw unread.error;
  return status;
}

interface Verified {
  readonly deliveries: readonly NewDelivery[];
  readonly unread: UnreadSecrets | undefined;
}

/** Verifies and reads a webhook. A refused one is recorded on the connections that it names or was verified for. */
async function verify(deps: ReceiveDeps, webhook: ReceivedWebhook): Promise<Verified> {
  const { source, clock } = deps;
  const receivedAt = clock();
  const named = await namedBy(deps, webhook);
  const isUnnamed = triesEverySecret(source, webhook.headers);
  let claimed: readonly Candidate[] = isUnnamed ? [] : named.flatMap((each) => each.candidates);
  try {
    const { event, candidates, connections } = await readVerified(source, webhook, named);
    if (connections.length > 0) claimed = connections;
    checkAge(source, event, receivedAt);
    // An ignored event needs no second delivery, nor does one whose only secret was found among those of all.
    const isSettled = event.ignored !== undefined || isUnnamed;
    const others = candidates.filter((each) => each.isConnected && !connections.includes(each));
    const unread = isSettled ? undefined : unreadOf(others);
    if (unread !== undefined) recordRejection(deps, webhook, unread.connectionIds, receivedAt, unread.error);
    return { deliveries: deliveriesOf(source, webhook, event, connections, receivedAt), unread };
  } catch (error) {
    if (error instanceof OrgctxError) {
      const ids = claimed.map(({ connectionId }) => connectionId);
      recordRejection(deps, webhook, ids, receivedAt, error);
    }
    throw error;
  }
}

async function namedBy(
  { source: { webhooks }, candidates }: ReceiveDeps,
  webhook: ReceivedWebhook,
): Promise<readonly Named[]> {
  const accounts = webhooks.peekAccounts(webhook);
  if (webhooks.peekSecret === undefined)
    return Promise.all(
      accounts.map(async (account) => ({ account, candidates: await candidates.ofAccount(account) })),
    );
  const secret = webhooks.peekSecret(webhook.headers);
  return [{ account: undefined, candidates: await candidates.ofSecret(secret) }];
}

function recordRejection(
  { source, rejected }: ReceiveDeps,
  webhook: ReceivedWebhook,
  connectionIds: readonly ConnectionId[],
  receivedAt: number,
  { code }: OrgctxError,
): void {
  rejected.record(connectionIds, receivedAt, () => ({
    // Its content is not verified, so that none of it is stored.
    ...receivedDelivery(source.kind, webhook, receivedAt),
    deliveryKey: source.webhooks.deliveryKeyOf(webhook),
    outcome: 'rejected',
    reason: code,
  }));
}

/** Returns one delivery per verified connection, or one without a connection if no connection has the account. */
function deliveriesOf(
  source: WebhookSource,
  webhook: ReceivedWebhook,
  event: WebhookEvent,
  connections: readonly Candidate[],
  receivedAt: number,
): readonly NewDelivery[] {
  const facts = {
    ...receivedDelivery(source.kind, webhook, receivedAt),
    deliveryKey: event.key ?? source.webhooks.deliveryKeyOf(webhook),
    event: event.name,
    entities: event.entities,
    traceContext: currentTraceparent(),
  };
  if (connections.length === 0) {
    return [{ ...facts, outcome: 'ignored', reason: 'unknown_account' }];
  }
  return connections.map(({ connectionId, isConnected }) => {
    const isAffected = isConnected || event.effect !== undefined;
    const reason = event.ignored ?? (isAffected ? undefined : 'not_connected');
    const outcome = reason === undefined ? 'accepted' : 'ignored';
    return { ...facts, effect: event.effect, outcome, reason, id: newId<DeliveryId>(), connectionId };
  });
}

function statusOf(deliveries: readonly NewDelivery[], added: ReadonlySet<DeliveryId>): IntakeStatus {
  const fresh = deliveries.filter(({ id }) => added.has(id));
  if (fresh.length === 0) return 'duplicate';
  return fresh.some(({ outcome }) => outcome === 'accepted') ? 'accepted' : 'ignored';
}

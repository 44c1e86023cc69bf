import { hash } from 'node:crypto';
import type { Clock } from '../../../foundation/kernel/clock.ts';
import { OrgctxError } from '../../../foundation/kernel/errors.ts';
import { type ConnectionId, type DeliveryId, newId } from '../../../foundation/kernel/ids.ts';
import type { Metrics } from '../../../foundation/telemetry/metrics.ts';
import { currentTraceparent } from '../../../foundation/telemetry/trace-context.ts';
import type { ReceivedWebhook } from '../port.ts';
import type { HeldBody } from './body-budget.ts';
import type { Candidate, ConnectionsOfAccount } from './connections-of-account.ts';
import type { NewDelivery } from './delivery.ts';
import type { SubmitDeliveries } from './group-commit.ts';
import { type JudgedWebhook, judgeWebhook, type UnreadSecrets } from './judge-webhook.ts';
import type { RejectedDeliveries } from './rejected-deliveries.ts';
import type { WebhookSource } from './webhook-source.ts';

/** What became of it, as the sender is told (contract section 3). */
export type IntakeStatus = 'accepted' | 'ignored' | 'duplicate';

export interface ReceiveDeps {
  readonly source: WebhookSource;
  readonly connectionsOf: ConnectionsOfAccount;
  readonly submit: SubmitDeliveries;
  readonly rejected: RejectedDeliveries;
  readonly clock: Clock;
  readonly metrics: Metrics;
}

/**
 * Peeks whose it may be, verifies the raw bytes, then reads them, and stores what follows. Nothing is asked of the
 * database for bytes that name no account. `held` counts the body until it is judged: what is stored of it afterwards
 * is a hash and references, however long that takes.
 */
export function receiveWebhook(
  deps: ReceiveDeps,
  webhook: ReceivedWebhook,
  held?: HeldBody,
): Promise<IntakeStatus> {
  const ended = held?.use();
  // Not awaited in here: what waits for the database below must not hold on to the body.
  return judge(deps, webhook)
    .finally(ended)
    .then((verified) => store(deps, verified));
}

async function store(
  { source, submit, metrics }: ReceiveDeps,
  { deliveries, unread }: Verified,
): Promise<IntakeStatus> {
  const status = statusOf(deliveries, await submit(deliveries));
  // Only now: the fault of one connection loses no event of another, to which the repeated one is a duplicate.
  if (unread !== undefined) throw unread.fault;
  metrics.add('orgctx.intake.deliveries', 1, { source: source.reader.source, outcome: status });
  return status;
}

interface Verified {
  readonly deliveries: readonly NewDelivery[];
  readonly unread: UnreadSecrets | undefined;
}

async function judge(deps: ReceiveDeps, webhook: ReceivedWebhook): Promise<Verified> {
  const { source, clock } = deps;
  const receivedAt = clock();
  const account = source.reader.peekAccount(webhook.body);
  const candidates = account === undefined ? [] : await deps.connectionsOf(account);
  const judged = judgeOrNote(deps, webhook, candidates, receivedAt);
  const { unread } = judged;
  if (unread !== undefined) noteRefused(deps, webhook, unread.connectionIds, receivedAt, unread.fault);
  return { deliveries: deliveriesOf(source, webhook, judged, receivedAt), unread };
}

function judgeOrNote(
  deps: ReceiveDeps,
  webhook: ReceivedWebhook,
  candidates: readonly Candidate[],
  receivedAt: number,
): JudgedWebhook {
  try {
    return judgeWebhook(deps.source, webhook, candidates, receivedAt);
  } catch (error) {
    if (error instanceof OrgctxError) {
      const claimed = candidates.map(({ connectionId }) => connectionId);
      noteRefused(deps, webhook, claimed, receivedAt, error);
    }
    throw error;
  }
}

function noteRefused(
  { source, rejected }: ReceiveDeps,
  webhook: ReceivedWebhook,
  connectionIds: readonly ConnectionId[],
  receivedAt: number,
  { code }: OrgctxError,
): void {
  rejected.note(connectionIds, receivedAt, () => ({
    ...factsOf(source, webhook, receivedAt),
    ...refused,
    id: newId(),
    reason: code,
  }));
}

/** Nobody has verified it, so nothing that it says of itself is kept. */
const refused = { connectionId: undefined, outcome: 'rejected', event: undefined, entities: [] } as const;

function factsOf({ reader }: WebhookSource, webhook: ReceivedWebhook, receivedAt: number) {
  return {
    source: reader.source,
    deliveryKey: reader.deliveryKeyOf(webhook),
    bodyHash: hash('sha256', webhook.body, 'hex'),
    bodyBytes: webhook.body.length,
    receivedAt,
  };
}

/** One for each connection that it verifies for; one for nobody when nobody has connected the account. */
function deliveriesOf(
  source: WebhookSource,
  webhook: ReceivedWebhook,
  { event, connections }: JudgedWebhook,
  receivedAt: number,
): readonly NewDelivery[] {
  const facts = {
    ...factsOf(source, webhook, receivedAt),
    event: event.name,
    entities: event.entities,
    traceContext: currentTraceparent(),
  };
  if (connections.length === 0) {
    const fate = { outcome: 'ignored', reason: 'unknown_account' } as const;
    return [{ ...facts, ...fate, id: newId<DeliveryId>(), connectionId: undefined }];
  }
  return connections.map(({ connectionId, following }) => {
    const reason = event.ignored ?? (following ? undefined : 'not_connected');
    const outcome = reason === undefined ? 'accepted' : 'ignored';
    return { ...facts, outcome, reason, id: newId<DeliveryId>(), connectionId };
  });
}

function statusOf(deliveries: readonly NewDelivery[], added: ReadonlySet<DeliveryId>): IntakeStatus {
  const fresh = deliveries.filter(({ id }) => added.has(id));
  if (fresh.length === 0) return 'duplicate';
  return fresh.some(({ outcome }) => outcome === 'accepted') ? 'accepted' : 'ignored';
}

import type { ConnectionId, DeliveryId } from '../../../foundation/kernel/ids.ts';
import type { EntityReference } from '../port.ts';

/** What is remembered of one delivery for one connection: references and a hash, never the body. */
export interface Delivery {
  readonly id: DeliveryId;
  readonly source: 'tracker' | 'oncall' | 'githost';
  /** Whose secret verified it; `undefined` where none did, or only the deployment's. */
  readonly connectionId: ConnectionId | undefined;
  readonly deliveryKey: string | undefined;
  readonly outcome: 'accepted' | 'ignored' | 'rejected';
  /** Why it was ignored or rejected, a short word. */
  readonly reason: string | undefined;
  /** The provider's name of what happened; `undefined` while nobody has verified it. */
  readonly event: string | undefined;
  readonly entities: readonly EntityReference[];
  /** SHA-256, hex. */
  readonly bodyHash: string;
  readonly bodyBytes: number;
  /** Milliseconds since the epoch. */
  readonly receivedAt: number;
  readonly replayedAt: number | undefined;
}

/** As it comes in. */
export interface NewDelivery extends Omit<Delivery, 'replayedAt'> {
  /** Of its own request, `traceparent`: the work it leads to is committed beside that of others. */
  readonly traceContext?: string | undefined;
}

/** For how long deliveries are kept, rejected ones too. */
export const deliveryRetentionMs = 14 * 86_400_000;

/** Rejected ones that are kept, the newest: anybody can send them. */
export const rejectedKept = 20_000;

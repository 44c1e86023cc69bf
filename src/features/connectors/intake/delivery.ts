import type { ConnectionId, DeliveryId } from '../../../foundation/kernel/ids.ts';
import type { EntityReference, WebhookEffect } from '../port.ts';

/** The record of one delivery for one connection: references and a hash, never the body. */
export interface Delivery {
  readonly id: DeliveryId;
  /** The kind of connector that sent it, or `githost`. */
  readonly source: string;
  /** Connection whose secret verified it; `undefined` if none did, or only the deployment's secret. */
  readonly connectionId: ConnectionId | undefined;
  readonly deliveryKey: string | undefined;
  readonly outcome: 'accepted' | 'ignored' | 'rejected';
  /** Reason why it was ignored or rejected, a short word. */
  readonly reason: string | undefined;
  /** The provider's name of the event; `undefined` if it is not verified. */
  readonly event: string | undefined;
  readonly entities: readonly EntityReference[];
  /** SHA-256 of the body, in hex. */
  readonly bodyHash: string;
  readonly bodyBytes: number;
  /** Milliseconds since the epoch. */
  readonly receivedAt: number;
  readonly replayedAt: number | undefined;
}

/** A delivery to be stored. */
export interface NewDelivery extends Omit<Delivery, 'replayedAt'> {
  /** Applied to the connection when the delivery is stored, if it is accepted. */
  readonly effect?: WebhookEffect | undefined;
  /** `traceparent` of its own request, because its work is committed together with that of other requests. */
  readonly traceContext?: string | undefined;
}

/** Retention of deliveries, including rejected ones, in milliseconds. */
export const deliveryRetentionMs = 14 * 86_400_000;

/**
 * Maximum number of rejected deliveries; the newest are kept. Bounded because any unauthenticated caller can send
 * them.
 */
export const maxRejectedDeliveries = 20_000;

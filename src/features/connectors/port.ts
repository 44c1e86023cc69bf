import type { IncomingHttpHeaders } from 'node:http';
import type { Task } from '../../foundation/jobs/task.ts';
import type { ConnectionId } from '../../foundation/kernel/ids.ts';

/** One thing at the provider: enough to fetch it, nothing of its content. */
export interface EntityId {
  /** The connector's word for it: `issue`. */
  readonly kind: string;
  readonly id: string;
}

export interface EntityReference extends EntityId {
  /** What it hangs on, where the provider says so: once it is removed, only that can still be fetched. */
  readonly parent?: EntityId;
}

/** What an edit leads to: fetch this entity again. Ids only, so jobs of one entity may become one. */
export interface EntityChange extends EntityReference {
  readonly connectionId: ConnectionId;
}

/** Of jobs in the lane of one connection: what people edit now goes before what is caught up with. */
export const syncPriority = { edit: 30, reconcile: 20, backfill: 10 } as const;

/** A webhook as it came in: nothing in it is trusted before it is verified. */
export interface ReceivedWebhook {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** What a verified webhook says. */
export interface WebhookEvent {
  /** The provider's id of the workspace or account it is about. */
  readonly account: string | undefined;
  /** The provider's name of what happened, a short word: `Issue.update`. */
  readonly name: string;
  /** When the provider signed it, ms since the epoch; `undefined` counts as stale. */
  readonly sentAt: number | undefined;
  readonly entities: readonly EntityReference[];
  /** Why nothing follows from it, a short word; `undefined` where something does. */
  readonly ignored: string | undefined;
}

/** How the webhooks of one provider are read; pure functions, called before and after verification. */
export interface WebhookReader {
  readonly source: 'tracker' | 'oncall';
  /** Bytes of a body. */
  readonly bodyLimit: number;
  /** Whose secrets may verify it, from raw bytes that anybody may have sent. Linear in their number. */
  peekAccount(body: Buffer): string | undefined;
  /** `undefined` when the signature is missing or can be none; else tells, in constant time, whether a secret made it. */
  verifierOf(headers: IncomingHttpHeaders): ((body: Buffer, secret: string) => boolean) | undefined;
  /** The same for each attempt to deliver the same event; at most 200 characters of ASCII. */
  deliveryKeyOf(webhook: ReceivedWebhook): string;
  /** To be called with verified bytes only. @throws InvalidInput when it cannot be read. */
  read(body: Buffer): WebhookEvent;
  /** What an accepted event enqueues for each of its entities. */
  readonly task: Task<EntityChange>;
}

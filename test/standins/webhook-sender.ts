import { createHmac, randomUUID } from 'node:crypto';

/** The request of one delivery attempt of one event. */
export interface SignedWebhook {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export interface EventOptions {
  readonly organizationId?: string | undefined;
  readonly type?: string;
  readonly action?: string;
  readonly id?: string;
  readonly data?: Readonly<Record<string, unknown>>;
  /** Milliseconds since the epoch; `undefined` omits the field. Default: now. */
  readonly webhookTimestamp?: number | undefined;
}

/** Returns an event in the tracker's envelope, about 1.6 KB like real ones. */
export function trackerEvent(options: EventOptions = {}): Record<string, unknown> {
  const { type = 'Issue', action = 'update', id = randomUUID(), data } = options;
  const now = Date.now();
  return {
    action,
    actor: { id: randomUUID(), name: 'Ada Lovelace', type: 'user' },
    createdAt: new Date(now).toISOString(),
    data: {
      id,
      identifier: 'ENG-12',
      title: 'Deliveries are acknowledged before they are durable',
      description: 'What is lost after a 200 is never sent again. '.repeat(22),
      team: { id: randomUUID(), key: 'ENG', name: 'Engineering' },
      labelIds: [randomUUID(), randomUUID()],
      ...data,
    },
    updatedFrom: { updatedAt: new Date(now - 5_000).toISOString() },
    url: 'https://tracker.example/acme/issue/ENG-12',
    type,
    organizationId: 'organizationId' in options ? options.organizationId : 'workspace-1',
    webhookTimestamp: 'webhookTimestamp' in options ? options.webhookTimestamp : now,
    webhookId: randomUUID(),
  };
}

export interface SignOptions {
  readonly secret: string;
  /** Default: a new one for each event; `null` sends none. */
  readonly deliveryId?: string | null;
  /** Uses the header names of the specification instead of the provider's own. */
  readonly neutral?: boolean;
}

/** Signs the exact bytes, as the provider does: lower-case hex HMAC-SHA256 of the raw body. */
export function signTracker(event: object | Buffer | string, options: SignOptions): SignedWebhook {
  const body = bytesOf(event);
  const { deliveryId = randomUUID(), neutral = false, secret } = options;
  return {
    headers: {
      'content-type': 'application/json; charset=utf-8',
      [neutral ? 'tracker-signature' : 'linear-signature']: hmac(body, secret),
      ...(deliveryId !== null && { [neutral ? 'tracker-delivery' : 'linear-delivery']: deliveryId }),
    },
    body,
  };
}

export function hmac(body: Buffer, secret: string): string {
  return createHmac('sha256', secret).update(body).digest('hex');
}

function bytesOf(event: object | Buffer | string): Buffer {
  if (Buffer.isBuffer(event)) return event;
  return Buffer.from(typeof event === 'string' ? event : JSON.stringify(event));
}

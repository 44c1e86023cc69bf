import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { type Account, type AccountEvent, newId } from './types.ts';

export interface Subscription {
  readonly id: string;
  readonly url: string;
  /** Shown once, in the reply that creates it. */
  readonly secret: string;
  description: string;
  events: readonly string[];
  active: boolean;
  temporarilyDisabled: boolean;
  /** Deliveries in a row that were dropped. */
  drops: number;
}

/** One event for one subscription, with the result of each attempt to deliver it. */
export interface OncallDelivery {
  readonly id: string;
  readonly event: string;
  readonly subscription: Subscription;
  readonly body: string;
  /** Statuses of the attempts; `undefined` if there was no answer in time. */
  readonly statuses: (number | undefined)[];
}

/** The webhook subscriptions of one account, and their deliveries. */
export interface Subscriptions {
  readonly all: Subscription[];
  readonly deliveries: OncallDelivery[];
  /** Keeps new deliveries back until `release`. */
  held: boolean;
  /** Loses new deliveries. */
  dropped: boolean;
  /** Sends each delivery twice. */
  duplicated: boolean;
  /** Signs with another secret. */
  wrongSecret: boolean;
  /** Sends the header with the id of the subscription. */
  named: boolean;
  create(fields: Pick<Subscription, 'url' | 'description' | 'events'>): Subscription;
  remove(id: string): boolean;
  find(id: string): Subscription | undefined;
  publish(event: AccountEvent): void;
  ping(subscription: Subscription): void;
  /** The provider retries timeouts, 5xx and 429 for up to 48 hours. A test retries at once. */
  retryFailed(): Promise<void>;
  /** Sends the held deliveries, in another order if `reorder` is given. */
  release(reorder?: (deliveries: OncallDelivery[]) => OncallDelivery[]): Promise<void>;
  redeliver(delivery: OncallDelivery): Promise<void>;
  /** Resolves once no delivery is under way. */
  settled(): Promise<void>;
}

/** The provider waits so long for an answer. */
const timeoutMs = 5_000;
/** Dropped deliveries in a row after which a subscription is disabled for a day. */
const maxDrops = 3;

export function createSubscriptions(account: Account): Subscriptions {
  const underWay = new Set<Promise<void>>();
  const waiting: OncallDelivery[] = [];

  async function attempt(delivery: OncallDelivery): Promise<void> {
    const { subscription, body } = delivery;
    if (subscription.temporarilyDisabled || !subscriptions.all.includes(subscription)) return;
    const secret = subscriptions.wrongSecret ? randomUUID() : subscription.secret;
    let status: number | undefined;
    try {
      const response = await fetch(subscription.url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'user-agent': 'PagerDuty-Webhook/V3.0',
          ...signatureOf(body, [secret]),
          'x-webhook-id': delivery.id,
          ...(subscriptions.named && { 'x-webhook-subscription': subscription.id }),
        },
        body,
        signal: AbortSignal.timeout(timeoutMs),
      });
      await response.arrayBuffer();
      status = response.status;
    } catch {
      status = undefined;
    }
    delivery.statuses.push(status);
    judge(subscription, status);
  }

  function judge(subscription: Subscription, status: number | undefined): void {
    const isDrop = status !== undefined && status >= 400 && status < 500 && status !== 429;
    if (status !== undefined && status < 300) subscription.drops = 0;
    if (!isDrop) return;
    subscription.drops += 1;
    if (subscription.drops < maxDrops) return;
    subscription.temporarilyDisabled = true;
  }

  function start(delivery: OncallDelivery): void {
    const attempted = attempt(delivery).finally(() => underWay.delete(attempted));
    underWay.add(attempted);
  }

  function send(subscription: Subscription, event: AccountEvent): void {
    const body = JSON.stringify({
      event: {
        id: `01${randomBytes(12).toString('hex').toUpperCase()}`,
        event_type: event.type,
        resource_type: event.resource,
        occurred_at: new Date(account.now()).toISOString(),
        agent: event.agent,
        client: null,
        data: event.data,
      },
    });
    const delivery = { id: randomUUID(), event: event.type, subscription, body, statuses: [] };
    subscriptions.deliveries.push(delivery);
    if (subscriptions.dropped) return;
    const copies = subscriptions.duplicated ? [delivery, delivery] : [delivery];
    for (const copy of copies) {
      if (subscriptions.held) waiting.push(copy);
      else start(copy);
    }
  }

  const subscriptions: Subscriptions = {
    all: [],
    deliveries: [],
    held: false,
    dropped: false,
    duplicated: false,
    wrongSecret: false,
    named: true,
    create(fields) {
      const subscription: Subscription = {
        id: newId('P'),
        secret: randomBytes(32).toString('base64'),
        active: true,
        temporarilyDisabled: false,
        drops: 0,
        ...fields,
      };
      subscriptions.all.push(subscription);
      return subscription;
    },
    remove(id) {
      const at = subscriptions.all.findIndex((each) => each.id === id);
      if (at !== -1) subscriptions.all.splice(at, 1);
      return at !== -1;
    },
    find: (id) => subscriptions.all.find((each) => each.id === id),
    publish(event) {
      for (const each of subscriptions.all) if (each.events.includes(event.type)) send(each, event);
    },
    ping(subscription) {
      send(subscription, {
        type: 'pagey.ping',
        resource: 'incident',
        agent: null,
        data: { message: 'Hello from your friend Pagey!', type: 'ping' },
      });
    },
    async retryFailed() {
      const failed = subscriptions.deliveries.filter(({ statuses }) => {
        const last = statuses.at(-1);
        return statuses.length > 0 && (last === undefined || last >= 500 || last === 429);
      });
      for (const delivery of failed) await attempt(delivery);
    },
    async release(reorder = (deliveries) => deliveries) {
      for (const delivery of reorder(waiting.splice(0))) await attempt(delivery);
    },
    redeliver: attempt,
    async settled() {
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
  return subscriptions;
}

/** Signs as the provider does: one `v1=` value with the HMAC-SHA256 of the exact bytes for each secret. */
export function signatureOf(body: string, secrets: readonly string[]): Readonly<Record<string, string>> {
  const values = secrets.map((secret) => `v1=${createHmac('sha256', secret).update(body).digest('hex')}`);
  return { 'x-pagerduty-signature': values.join(',') };
}

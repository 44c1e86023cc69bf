import { createHmac, randomUUID } from 'node:crypto';
import type { Change, Row, Workspace } from './model.ts';

/** The webhook of an application. It has one for all workspaces. */
export interface TrackerWebhook {
  readonly url: string;
  readonly secret: string;
}

/** One event, with the result of each attempt to deliver it. */
export interface TrackerDelivery {
  readonly id: string;
  readonly event: string;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly webhook: TrackerWebhook;
  /** Statuses of the attempts; `undefined` if there was no answer in time. */
  readonly statuses: (number | undefined)[];
}

export interface TrackerWebhooks {
  webhook: TrackerWebhook | undefined;
  readonly deliveries: TrackerDelivery[];
  /** Keeps new deliveries back until `release`. */
  held: boolean;
  /** Loses new deliveries. */
  dropped: boolean;
  /** Sends each delivery twice. */
  duplicated: boolean;
  /** Signs with another secret. */
  wrongSecret: boolean;
  /** Changes the bytes after signing, as a proxy that parses JSON does. */
  reserialized: boolean;
  /** Whether a retry has a new time. The provider does not say. */
  restamped: boolean;
  /** Fields that real events may have and the schema does not know. */
  extraFields: Readonly<Record<string, unknown>>;
  /** The provider retries after these delays: a minute, an hour, six hours. A test retries at once. */
  retryFailed(): Promise<void>;
  /** Sends the held deliveries, in another order if `reorder` is given. */
  release(reorder?: (deliveries: TrackerDelivery[]) => TrackerDelivery[]): Promise<void>;
  send(event: string, payload: Readonly<Record<string, unknown>>): void;
  entityChanged(change: Change): void;
  /** Tells that the workspace took the authorization back. */
  authorizationRevoked(clientId: string): void;
  /** Tells that one user took their authorization back. */
  userRevoked(clientId: string, userId: string): void;
  redeliver(delivery: TrackerDelivery): Promise<void>;
  /** Resolves once no delivery is under way. */
  settled(): Promise<void>;
}

const maxAttempts = 4;
/** The provider waits so long for an answer, and accepts only 200. */
const timeoutMs = 5_000;

/** Fields of the model that are no fields of the schema. */
const internal: ReadonlySet<string> = new Set(['typename']);

export function createWebhooks(workspace: Workspace): TrackerWebhooks {
  const underWay = new Set<Promise<void>>();
  const waiting: TrackerDelivery[] = [];

  async function attempt(delivery: TrackerDelivery): Promise<void> {
    const isRetry = delivery.statuses.length > 0;
    const payload =
      isRetry && sender.restamped
        ? { ...delivery.payload, webhookTimestamp: workspace.now() }
        : delivery.payload;
    const signed = signPayload(payload, {
      id: delivery.id,
      event: delivery.event,
      secret: sender.wrongSecret ? randomUUID() : delivery.webhook.secret,
    });
    const body = sender.reserialized ? JSON.stringify(payload, null, 1) : signed.body;
    try {
      const response = await fetch(delivery.webhook.url, {
        method: 'POST',
        headers: signed.headers,
        body,
        signal: AbortSignal.timeout(timeoutMs),
      });
      await response.arrayBuffer();
      delivery.statuses.push(response.status);
    } catch {
      delivery.statuses.push(undefined);
    }
  }

  function start(delivery: TrackerDelivery): void {
    const attempted = attempt(delivery).finally(() => underWay.delete(attempted));
    underWay.add(attempted);
  }

  const sender: TrackerWebhooks = {
    webhook: undefined,
    deliveries: [],
    held: false,
    dropped: false,
    duplicated: false,
    wrongSecret: false,
    reserialized: false,
    restamped: false,
    extraFields: {},
    async retryFailed() {
      const failed = sender.deliveries.filter(
        ({ statuses }) => statuses.length > 0 && statuses.length < maxAttempts && statuses.at(-1) !== 200,
      );
      for (const delivery of failed) await attempt(delivery);
    },
    async release(reorder = (deliveries) => deliveries) {
      for (const delivery of reorder(waiting.splice(0))) await attempt(delivery);
    },
    send(event, payload) {
      const { webhook } = sender;
      if (webhook === undefined) return;
      const delivery: TrackerDelivery = {
        id: randomUUID(),
        event,
        payload: {
          ...payload,
          ...sender.extraFields,
          webhookTimestamp: workspace.now(),
          webhookId: workspace.id,
        },
        webhook,
        statuses: [],
      };
      sender.deliveries.push(delivery);
      if (sender.dropped) return;
      const copies = sender.duplicated ? [delivery, delivery] : [delivery];
      for (const copy of copies) {
        if (sender.held) waiting.push(copy);
        else start(copy);
      }
    },
    entityChanged({ action, row, updatedFrom }) {
      if (!eventTypes.has(row.typename)) return;
      sender.send(row.typename, {
        action,
        type: row.typename,
        actor: { id: workspace.viewer.id, name: workspace.viewer['name'], type: 'user' },
        createdAt: new Date(workspace.now()).toISOString(),
        data: dataOf(row),
        ...(updatedFrom !== undefined && { updatedFrom }),
        url: row['url'],
        organizationId: workspace.id,
      });
    },
    authorizationRevoked(clientId) {
      sender.send('OAuthApp', {
        action: 'revoked',
        type: 'OAuthApp',
        createdAt: new Date(workspace.now()).toISOString(),
        oauthClientId: clientId,
        organizationId: workspace.id,
      });
    },
    userRevoked(clientId, userId) {
      sender.send('OAuthAuthorization', {
        action: 'revoked',
        type: 'OAuthAuthorization',
        createdAt: new Date(workspace.now()).toISOString(),
        oauthClientId: clientId,
        oauthClient: { id: clientId, name: 'orgctx' },
        userId,
        user: { id: userId, name: 'User' },
        activeTokensForUser: 0,
        organizationId: workspace.id,
      });
    },
    redeliver: attempt,
    async settled() {
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
  return sender;
}

export interface SignOptions {
  readonly id: string;
  readonly event: string;
  readonly secret: string;
}

/** Signs as the provider does: lower-case hex HMAC-SHA256 of the exact bytes. */
export function signPayload(
  payload: Readonly<Record<string, unknown>>,
  { id, event, secret }: SignOptions,
): { readonly body: string; readonly headers: Readonly<Record<string, string>> } {
  const body = JSON.stringify(payload);
  return {
    body,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'user-agent': 'Linear-Webhook',
      'linear-delivery': id,
      'linear-event': event,
      'linear-signature': createHmac('sha256', secret).update(body).digest('hex'),
      'linear-timestamp': String(payload['webhookTimestamp']),
    },
  };
}

/** Types that send events. Others, such as teams and relations, change without any. */
const eventTypes: ReadonlySet<string> = new Set([
  'Attachment',
  'Comment',
  'Customer',
  'CustomerNeed',
  'Cycle',
  'Document',
  'Initiative',
  'InitiativeUpdate',
  'Issue',
  'IssueLabel',
  'Project',
  'ProjectUpdate',
  'User',
]);

function dataOf(row: Row): Record<string, unknown> {
  return Object.fromEntries(Object.entries(row).filter(([field]) => !internal.has(field)));
}

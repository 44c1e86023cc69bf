import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import {
  type Connector,
  connectorSettings,
  type EntityChange,
  type ReceivedWebhook,
  type WebhookEvent,
} from '../../src/features/connectors/port.ts';
import { syncLane, syncPriority, syncTasks } from '../../src/features/connectors/sync/tasks.ts';
import { secret, setting } from '../../src/foundation/config/settings/setting.ts';
import { plainText, seconds } from '../../src/foundation/config/settings/setting-types.ts';
import { defineTask } from '../../src/foundation/jobs/task.ts';
import { InvalidInput } from '../../src/foundation/kernel/errors.ts';
import type { ConnectionId } from '../../src/foundation/kernel/ids.ts';
import { toySetup } from './toy-provider.ts';

const payload: z.ZodType<EntityChange> = z.object({
  connectionId: z.custom<ConnectionId>((value) => typeof value === 'string'),
  kind: z.string(),
  id: z.string(),
});
const toyFetch = defineTask({
  name: 'toy-fetch',
  payload,
  priority: syncPriority.edit,
  key: ({ id }) => id,
  lane: syncLane,
});

const toySync = defineTask({
  name: 'toy-sync-content',
  payload: z.object({
    connectionId: z.custom<ConnectionId>((value) => typeof value === 'string'),
    full: z.boolean(),
  }),
  key: ({ connectionId }) => connectionId,
});

const toyEvent = z.object({ type: z.enum(['built', 'revoked']), id: z.string().default(''), at: z.number() });

/**
 * A connector that differs from the real ones where it may: webhooks name their account in a header, and events may be
 * older than newer.
 */
export const toy: Connector = {
  kind: 'toy',
  product: 'Toy',
  records: { root: 'toy', title: 'Toy', description: 'A toy.', kinds: [] },
  settings: connectorSettings(
    {
      TOY_CLIENT_ID: setting(plainText, 'client id'),
      TOY_CLIENT_SECRET: secret(plainText, 'client secret'),
      TOY_URL: setting(plainText, 'address of the provider'),
      TOY_WEBHOOK_SECRET: secret(plainText, 'secret of webhooks'),
      WEBHOOK_TOLERANCE_TOY: setting(seconds(1), 'age of a webhook in seconds', { fallback: '3600' }),
    },
    (values) => ({
      clientId: values.TOY_CLIENT_ID,
      clientSecret: values.TOY_CLIENT_SECRET,
      redirectUri: undefined,
      webhookSecret: values.TOY_WEBHOOK_SECRET,
      tolerance: { pastMs: (values.WEBHOOK_TOLERANCE_TOY ?? 3_600) * 1_000, futureMs: 5_000 },
    }),
  ),
  appHasWebhookSecret: false,
  registration: { page: 'https://toy.example/apps', fields: [], notes: ['Create an app at the toy.'] },
  ...toySetup,
  configuration: {
    scope: z.strictObject({
      boxes: z.array(z.string()).min(1, 'must name at least one box'),
      broken: z.boolean().default(false),
    }),
    blocks: { content: z.strictObject({ bricks: z.boolean().default(true) }).prefault({}) },
    flags: {
      box: { placeholder: 'name', description: 'name of a box', scopeOf: (boxes) => ({ boxes }) },
    },
    comments: { 'scope.boxes': 'names of boxes', content: 'what is mirrored' },
  },
  tasks: { config: syncTasks('toy').config, content: toySync, incremental: toyFetch },
  webhooks: {
    summary: 'A signed event of the toy',
    bodyLimit: 1_000,
    peekAccounts: (webhook) => [accountOf(webhook)].filter((account) => account !== undefined),
    verifierOf,
    deliveryKeyOf: ({ headers }) => String(headers['x-toy-delivery']),
    read,
  },
  jobs: () => ({ handlers: [], unhandled: [toyFetch, toySync] }),
};

function accountOf({ headers }: ReceivedWebhook): string | undefined {
  const account = headers['x-toy-account'];
  return typeof account === 'string' ? account : undefined;
}

function verifierOf(headers: IncomingHttpHeaders) {
  const given = headers['x-toy-signature'];
  if (typeof given !== 'string' || !/^[0-9a-f]{64}$/.test(given)) return undefined;
  const signature = Buffer.from(given, 'hex');
  return (body: Buffer, key: string) => timingSafeEqual(hmac(body, key), signature);
}

function read(webhook: ReceivedWebhook): WebhookEvent {
  const parsed = toyEvent.safeParse(JSON.parse(webhook.body.toString('utf8')));
  if (!parsed.success) throw new InvalidInput('The body is no event of the toy.', { cause: parsed.error });
  const { type, id, at } = parsed.data;
  return {
    account: accountOf(webhook),
    name: type,
    sentAt: at,
    entities: type === 'built' ? [{ kind: 'brick', id }] : [],
    effect: type === 'revoked' ? 'authorization_revoked' : undefined,
    ignored: undefined,
  };
}

export interface ToyEvent {
  readonly type?: 'built' | 'revoked';
  readonly id?: string;
  /** Milliseconds since the epoch. Default: now. */
  readonly at?: number;
}

/** Returns the request of one delivery. */
export function toyWebhook(account: string, key: string, event: ToyEvent = {}) {
  const body = JSON.stringify({ type: 'built', at: Date.now(), ...event });
  return {
    headers: {
      'x-toy-account': account,
      'x-toy-delivery': crypto.randomUUID(),
      'x-toy-signature': hmac(Buffer.from(body), key).toString('hex'),
    },
    body,
  };
}

function hmac(body: Buffer, key: string): Buffer {
  return createHmac('sha256', key).update(body).digest();
}

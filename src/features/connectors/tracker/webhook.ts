import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import { InvalidInput } from '../../../foundation/kernel/errors.ts';
import type { EntityId, EntityReference, ReceivedWebhook, WebhookEvent, WebhookReader } from '../port.ts';
import { trackerSyncIncremental } from './tasks.ts';
import { peekText } from './webhook-peek.ts';

/** Contract section 3, and the provider's own limit. */
const bodyLimit = 5 * 1024 * 1024;

/** The neutral name (contract section 3) and the provider's own. */
const signatureHeaders = ['tracker-signature', 'linear-signature'] as const;
const deliveryHeaders = ['tracker-delivery', 'linear-delivery'] as const;

export const trackerWebhooks: WebhookReader = {
  source: 'tracker',
  bodyLimit,
  peekAccount,
  verifierOf,
  deliveryKeyOf,
  read,
  task: trackerSyncIncremental,
};

/** Ids of the provider are UUIDs; whatever else cannot be one of ours. */
const providerId = /^[\w-]{1,100}$/;

function peekAccount(body: Buffer): string | undefined {
  const account = peekText(body, 'organizationId');
  return account !== undefined && providerId.test(account) ? account : undefined;
}

/** Lower-case hex of an HMAC-SHA256, once: a header that is sent twice arrives as one with a comma in it. */
function verifierOf(headers: IncomingHttpHeaders): ((body: Buffer, secret: string) => boolean) | undefined {
  const given = onlyHeader(headers, signatureHeaders);
  if (given === undefined || !/^[0-9a-f]{64}$/.test(given)) return undefined;
  const signature = Buffer.from(given, 'hex');
  return (body, secret) => timingSafeEqual(createHmac('sha256', secret).update(body).digest(), signature);
}

/**
 * The provider's own id of the delivery. It is not signed: who repeats a signed body under another id, within the
 * tolerance, has the same entity fetched once more, and nothing else.
 */
function deliveryKeyOf({ headers, body }: ReceivedWebhook): string {
  const given = onlyHeader(headers, deliveryHeaders);
  if (given !== undefined && providerId.test(given)) return given;
  const signature = onlyHeader(headers, signatureHeaders) ?? '';
  return `sha256:${createHash('sha256').update(body).update(signature, 'latin1').digest('hex')}`;
}

/** `undefined` when none of the names is there, or when they contradict each other. */
function onlyHeader(headers: IncomingHttpHeaders, names: readonly string[]): string | undefined {
  const [value, ...others] = new Set(names.flatMap((name) => headers[name] ?? []));
  return others.length === 0 ? value : undefined;
}

const reference = z.string().regex(providerId);

/** Everything that is read of a body; the rest of it is the provider's to change. */
const envelope = z.object({
  type: z.string(),
  action: z.string().catch(''),
  organizationId: reference.optional().catch(undefined),
  webhookTimestamp: z.number().optional().catch(undefined),
  data: z.record(z.string(), z.unknown()).optional().catch(undefined),
});

/** The provider's types that are mirrored or change what is mirrored (specification: data change events to tick). */
const kinds: ReadonlyMap<string, string> = new Map([
  ['Issue', 'issue'],
  ['Comment', 'comment'],
  ['Document', 'document'],
  ['Project', 'project'],
  ['ProjectUpdate', 'project-update'],
  ['Initiative', 'initiative'],
  ['InitiativeUpdate', 'initiative-update'],
  ['Attachment', 'attachment'],
  ['Cycle', 'cycle'],
  ['IssueLabel', 'issue-label'],
  ['User', 'user'],
  ['Customer', 'customer'],
  ['CustomerNeed', 'customer-need'],
]);

/** Fields of `data` that say what the entity is part of, the nearest first. */
const parents = [
  ['issueId', 'issue'],
  ['projectUpdateId', 'project-update'],
  ['initiativeUpdateId', 'initiative-update'],
  ['documentContentId', 'document-content'],
  ['projectId', 'project'],
  ['initiativeId', 'initiative'],
  ['customerId', 'customer'],
] as const;

/** Kinds that are rendered into the file of another entity. */
const partsOfOthers: ReadonlySet<string> = new Set([
  'comment',
  'attachment',
  'project-update',
  'initiative-update',
  'customer-need',
]);

function read(body: Buffer): WebhookEvent {
  const parsed = envelope.safeParse(parseJson(body));
  if (!parsed.success) throw unreadable('it is no tracker event', parsed.error);
  const { type, action, organizationId, webhookTimestamp, data } = parsed.data;
  const kind = kinds.get(type);
  return {
    account: organizationId,
    name: `${shortWord(type)}.${shortWord(action)}`,
    sentAt: Number.isFinite(webhookTimestamp) ? webhookTimestamp : undefined,
    entities: kind === undefined ? [] : [entityOf(kind, data)],
    ignored: kind === undefined ? ignoredBecause(type, action) : undefined,
  };
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch (cause) {
    throw unreadable('it is not valid JSON', cause);
  }
}

function entityOf(kind: string, data: Readonly<Record<string, unknown>> | undefined): EntityReference {
  const id = reference.safeParse(data?.['id']);
  if (!id.success) throw unreadable('its "data" has no id');
  const parent = partsOfOthers.has(kind) ? parentOf(data ?? {}) : undefined;
  return { kind, id: id.data, ...(parent !== undefined && { parent }) };
}

function parentOf(data: Readonly<Record<string, unknown>>): EntityId | undefined {
  for (const [field, kind] of parents) {
    const id = reference.safeParse(data[field]);
    if (id.success) return { kind, id: id.data };
  }
  return undefined;
}

/** A withdrawn authorization is to end the connection; what does that comes with the connector's own sign-in. */
function ignoredBecause(type: string, action: string): string {
  return type === 'OAuthApp' && action === 'revoked' ? 'authorization_revoked' : 'unknown_type';
}

/** What is stored and shown of a word of the provider's. */
function shortWord(word: string): string {
  return /^\w{1,40}$/.test(word) ? word : 'unknown';
}

function unreadable(why: string, cause?: unknown): InvalidInput {
  return new InvalidInput(`The body cannot be read: ${why}.`, { cause });
}

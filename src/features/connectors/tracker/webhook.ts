import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import {
  deliveryIdOf,
  hmacVerifier,
  onlyValue,
  parseBody,
  providerId,
  unreadable,
} from '../intake/webhook-parts.ts';
import type { EntityId, EntityReference, ReceivedWebhook, WebhookEvent, WebhookReader } from '../port.ts';
import { kinds as familyKinds, familyOf, namesOf } from './client/queries.ts';
import { isMirrored, kindOf } from './kinds/kinds.ts';
import { peekText } from './webhook-peek.ts';

/** Maximum size of a body, in bytes (contract section 3). It is also the provider's own limit. */
const bodyLimit = 5 * 1024 * 1024;

/** The neutral header name (contract section 3) and the provider's own. */
const signatureHeaders = ['tracker-signature', 'linear-signature'] as const;
const deliveryHeaders = ['tracker-delivery', 'linear-delivery'] as const;

export const trackerWebhooks: WebhookReader = {
  summary: 'A signed event of the tracker (headers Tracker-Signature, Tracker-Delivery)',
  bodyLimit,
  peekAccount,
  verifierOf,
  deliveryKeyOf,
  read,
};

function peekAccount({ body }: ReceivedWebhook): string | undefined {
  const account = peekText(body, 'organizationId');
  return account !== undefined && providerId.test(account) ? account : undefined;
}

/** Reads the signature: one HMAC-SHA256 in lower-case hex. A header that is sent twice arrives as one with a comma. */
function verifierOf(headers: IncomingHttpHeaders): ((body: Buffer, secret: string) => boolean) | undefined {
  const given = onlyValue(headers, signatureHeaders);
  return given !== undefined && /^[0-9a-f]{64}$/.test(given) ? hmacVerifier([given]) : undefined;
}

/**
 * Returns the provider's id of the delivery. The id is not signed: a caller that repeats a signed body under another
 * id, within the tolerance, only causes the same entity to be fetched once more.
 */
function deliveryKeyOf({ headers, body }: ReceivedWebhook): string {
  const given = deliveryIdOf(headers, deliveryHeaders);
  if (given !== undefined) return given;
  const signature = onlyValue(headers, signatureHeaders) ?? '';
  return `sha256:${createHash('sha256').update(body).update(signature, 'latin1').digest('hex')}`;
}

const reference = z.string().regex(providerId);

/** The fields that are read from a body; the provider may change the rest. */
const envelope = z.object({
  type: z.string(),
  action: z.string().catch(''),
  organizationId: reference.optional().catch(undefined),
  webhookTimestamp: z.number().optional().catch(undefined),
  data: z.record(z.string(), z.unknown()).optional().catch(undefined),
  userId: z.string().regex(providerId).optional().catch(undefined),
});

/** The provider's types that are mirrored or change a mirrored file (specification: data change events to tick). */
const kinds: ReadonlyMap<string, string> = new Map(
  familyKinds
    .filter((kind) => familyOf(kind).withoutEvents !== true)
    .map((kind) => [namesOf(kind).type, kind]),
);

/** Fields of `data` with the id of a parent entity, the nearest first. */
const parents = [
  ['issueId', 'issue'],
  ['projectUpdateId', 'project-update'],
  ['initiativeUpdateId', 'initiative-update'],
  ['documentContentId', 'document-content'],
  ['projectId', 'project'],
  ['initiativeId', 'initiative'],
  ['customerId', 'customer'],
] as const;

function read({ body }: ReceivedWebhook): WebhookEvent {
  const event = parseBody(body, envelope, 'a tracker event');
  const { type, action, organizationId, webhookTimestamp, data, userId } = event;
  const kind = kinds.get(type);
  const isRevoked = type === 'OAuthApp' && action === 'revoked';
  // One of the users, who may be another than the one of the connection: fetching that user tells, because it
  // disconnects a connection whose tokens are refused.
  const isOfUser = type === 'OAuthAuthorization' && action === 'revoked' && userId !== undefined;
  return {
    account: organizationId,
    name: `${shortWord(type)}.${shortWord(action)}`,
    sentAt: Number.isFinite(webhookTimestamp) ? webhookTimestamp : undefined,
    entities: isOfUser ? [{ kind: 'user', id: userId }] : kind === undefined ? [] : [entityOf(kind, data)],
    effect: isRevoked ? 'authorization_revoked' : undefined,
    ignored: kind === undefined && !isRevoked && !isOfUser ? 'unknown_type' : undefined,
  };
}

function entityOf(kind: string, data: Readonly<Record<string, unknown>> | undefined): EntityReference {
  const id = reference.safeParse(data?.['id']);
  if (!id.success) throw unreadable('its "data" has no id');
  // A kind that is rendered into the file of another entity, or deleted with it.
  const hasParent = !isMirrored(kind) || kindOf({ kind }).namesParent === true;
  return { kind, id: id.data, parent: hasParent ? parentOf(data ?? {}) : undefined };
}

function parentOf(data: Readonly<Record<string, unknown>>): EntityId | undefined {
  for (const [field, kind] of parents) {
    const id = reference.safeParse(data[field]);
    if (id.success) return { kind, id: id.data };
  }
  return undefined;
}

/** Returns the word if it is short and plain enough to store and display; otherwise `unknown`. */
function shortWord(word: string): string {
  return /^\w{1,40}$/.test(word) ? word : 'unknown';
}

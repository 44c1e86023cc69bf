import { createHash } from 'node:crypto';
import { z } from 'zod';
import {
  deliveryIdOf,
  hmacVerifier,
  onlyValue,
  parseBody,
  providerId,
  unreadable,
} from '../intake/webhook-parts.ts';
import type { EntityReference, WebhookReader } from '../port.ts';
import { namesOf } from './kinds/family.ts';
import { families, kindOf } from './kinds/kinds.ts';

/** The neutral header name (contract section 3) and the provider's own. */
const signatureHeaders = ['tracker-signature', 'linear-signature'] as const;
const deliveryHeaders = ['tracker-delivery', 'linear-delivery'] as const;

const reference = z.string().regex(providerId).optional().catch(undefined);

/** The fields that are read from a body; the provider may change the rest. */
const envelope = z.object({
  type: z.string(),
  action: z.string().catch(''),
  organizationId: reference,
  webhookTimestamp: z.number().optional().catch(undefined),
  data: z.record(z.string(), z.unknown()).catch({}),
  userId: reference,
});

/** The field of the account in a body that is not verified. */
const accountField = '"organizationId"';
/** Matches what follows the field. */
const accountValue = /^\s*:\s*"([\w-]{1,100})"/;
/** Maximum number of fields that are read, bytes after each, and different accounts. */
const max = { fields: 100, bytes: 150, accounts: 5 } as const;

export const trackerWebhooks: WebhookReader = {
  summary: 'A signed event of the tracker (headers Tracker-Signature, Tracker-Delivery)',
  // Contract section 3. It is also the provider's own limit.
  bodyLimit: 5 * 1024 * 1024,

  /** Finds ids at any depth, the last one first: the one of the event usually stands after its data. */
  peekAccounts({ body }) {
    const ids = new Set<string>();
    let at = body.length;
    for (let fields = 0; at > 0 && fields < max.fields && ids.size < max.accounts; fields++) {
      at = body.lastIndexOf(accountField, at - 1);
      if (at < 0) break;
      const after = at + accountField.length;
      const [, id] = accountValue.exec(body.toString('latin1', after, after + max.bytes)) ?? [];
      if (id !== undefined) ids.add(id);
    }
    return [...ids];
  },

  /** Reads the signature: an HMAC-SHA256 in lower-case hex. A header that is sent twice arrives as one with a comma. */
  verifierOf(headers) {
    const given = onlyValue(headers, signatureHeaders);
    return given !== undefined && /^[0-9a-f]{64}$/.test(given) ? hmacVerifier([given]) : undefined;
  },

  /**
   * Returns the provider's id of the delivery. The id is not signed: a caller that repeats a signed body under another
   * id, within the tolerance, only causes the same entity to be fetched once more.
   */
  deliveryKeyOf({ headers, body }) {
    const given = deliveryIdOf(headers, deliveryHeaders);
    if (given !== undefined) return given;
    const signature = onlyValue(headers, signatureHeaders) ?? '';
    return `sha256:${createHash('sha256').update(body).update(signature, 'latin1').digest('hex')}`;
  },

  read({ body }) {
    const event = parseBody(body, envelope, 'a tracker event');
    const { type, action, organizationId, webhookTimestamp, data, userId } = event;
    const family = familyNames.get(type);
    const isRevoked = type === 'OAuthApp' && action === 'revoked';
    // One of the users, who may be another than the one of the connection: fetching that user tells, because it
    // disconnects a connection whose tokens are refused.
    const isOfUser = type === 'OAuthAuthorization' && action === 'revoked' && userId !== undefined;
    const entities = family === undefined ? [] : [entityOf(family, data)];
    return {
      account: organizationId,
      name: `${shortWord(type)}.${shortWord(action)}`,
      sentAt: Number.isFinite(webhookTimestamp) ? webhookTimestamp : undefined,
      entities: isOfUser ? [{ kind: 'user', id: userId }] : entities,
      effect: isRevoked ? 'authorization_revoked' : undefined,
      ignored: family === undefined && !isRevoked && !isOfUser ? 'unknown_type' : undefined,
    };
  },
};

/** The families that change a mirrored file, by the provider's types (specification: data change events to tick). */
const familyNames: ReadonlyMap<string, string> = new Map(
  families
    .filter(({ withoutEvents }) => withoutEvents !== true)
    .map(({ name }) => [namesOf(name).type, name]),
);

/** The kinds of which data names a parent, in a field such as `issueId`, the nearest first. */
const parents = [
  'issue',
  'project-update',
  'initiative-update',
  'document-content',
  'project',
  'initiative',
  'customer',
];

function entityOf(kind: string, data: Readonly<Record<string, unknown>>): EntityReference {
  const idIn = (field: string) => reference.parse(data[field]);
  const id = idIn('id');
  if (id === undefined) throw unreadable('its "data" has no id');
  const mirroredKind = kindOf(kind);
  // It is rendered into its own file, and not deleted with another entity.
  if (mirroredKind !== undefined && mirroredKind.namesParent !== true) return { kind, id };
  const [parent] = parents.flatMap((name) => {
    const parentId = idIn(`${namesOf(name).field}Id`);
    return parentId === undefined ? [] : { kind: name, id: parentId };
  });
  return { kind, id, parent };
}

/** Returns the word if it is short and plain enough to store and display; otherwise `unknown`. */
function shortWord(word: string): string {
  return /^\w{1,40}$/.test(word) ? word : 'unknown';
}

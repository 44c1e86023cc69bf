import { randomBytes } from 'node:crypto';

/**
 * An id: an opaque string outside the database. The brand prevents the use of one entity's id in place of another's.
 */
type Id<Noun extends string> = string & { readonly __noun: Noun };

export type OrganizationId = Id<'organization'>;
export type UserId = Id<'user'>;
export type ApiKeyId = Id<'api-key'>;
export type RepositoryId = Id<'repository'>;
export type JobId = Id<'job'>;
export type ConnectionId = Id<'connection'>;
export type DeliveryId = Id<'delivery'>;
export type MirrorTargetId = Id<'mirror-target'>;
export type InvitationId = Id<'invitation'>;
export type GrantId = Id<'grant'>;
export type ConversationId = Id<'conversation'>;
export type MessageId = Id<'message'>;
export type AuditEventId = Id<'audit-event'>;

/**
 * Returns a UUID version 7 (RFC 9562 section 5.7). These are ordered by creation time, so that primary keys are
 * appended to the index.
 */
export function newId<letterI extends Id<string>>(now: number = Date.now()): letterI {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(now, 0, 6);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x70, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join(
    '-',
  ) as letterI;
}

/** Returns whether untrusted text can be an id. Anything else is an unknown id and needs no database query. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);
}

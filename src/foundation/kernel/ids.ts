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

/** Millisecond and sequence number of the last id of this process. */
let last = { now: -1, sequence: 0 };

/**
 * Returns a UUID version 7 (RFC 9562 section 5.7). These are ordered by creation time, so that primary keys are
 * appended to the index. Ids that a process creates in one millisecond have ascending sequence numbers (section 6.2,
 * method 1), so that lists have the order of creation.
 */
export function newId<AnyId extends Id<string>>(now: number = Date.now()): AnyId {
  const bytes = randomBytes(16);
  // Half of the numbers are left for further ids of the millisecond. After the last one the order is random.
  const sequence = now === last.now ? (last.sequence + 1) & 0xfff : bytes.readUInt16BE(6) & 0x7ff;
  last = { now, sequence };
  bytes.writeUIntBE(now, 0, 6);
  bytes.writeUInt16BE(0x7000 | sequence, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join(
    '-',
  ) as AnyId;
}

/** Returns whether untrusted text can be an id. Anything else is an unknown id and needs no database query. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);
}

import { randomBytes } from 'node:crypto';

/** Ids are opaque strings to everything outside the database. The brand keeps one noun's id out of another's place. */
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
export type AuditEventId = Id<'audit-event'>;

/** A UUID version 7 (RFC 9562 section 5.7): ordered by creation time, so that primary keys append to the index. */
export function newId<I extends Id<string>>(now: number = Date.now()): I {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(now, 0, 6);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x70, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join(
    '-',
  ) as I;
}

/** Whether text from outside can be an id at all; anything else is an unknown id and not worth asking the database. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);
}

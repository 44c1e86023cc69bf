import { z } from 'zod';
import type { Invitation } from '../../../features/identity/invitations/invitation.ts';
import { isoTime } from '../../../foundation/kernel/clock.ts';
import { roleName } from './member-record.ts';

export const invitationRecord = z
  .object({
    id: z.string(),
    email: z.string(),
    role: roleName,
    createdAt: z.iso.datetime(),
    expiresAt: z.iso.datetime(),
  })
  .meta({ id: 'Invitation' });

export type InvitationRecord = z.output<typeof invitationRecord>;

export function toInvitationRecord(invitation: Invitation): InvitationRecord {
  const { id, email, role, createdAt, expiresAt } = invitation;
  return { id, email, role, createdAt: isoTime(createdAt), expiresAt: isoTime(expiresAt) };
}

import { z } from 'zod';
import { isoTime } from '../../../foundation/kernel/clock.ts';
import { roleName } from '../people/member-record.ts';
import type { Invitation } from './invitation.ts';

export const invitationRecord = z
  .object({
    id: z.string(),
    email: z.string(),
    role: roleName,
    createdAt: z.iso.datetime(),
    expiresAt: z.iso.datetime(),
  })
  .meta({ id: 'Invitation' });

/** The response to a request that creates an invitation. */
export const newInvitationRecord = invitationRecord
  .extend({
    link: z
      .string()
      .describe('The link for the invited person, valid once within seven days. It is not returned again.'),
  })
  .meta({ id: 'CreatedInvitation' });

export type InvitationRecord = z.output<typeof invitationRecord>;

export function toInvitationRecord(invitation: Invitation): InvitationRecord {
  const { id, email, role, createdAt, expiresAt } = invitation;
  return { id, email, role, createdAt: isoTime(createdAt), expiresAt: isoTime(expiresAt) };
}

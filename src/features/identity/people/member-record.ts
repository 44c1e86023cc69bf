import { z } from 'zod';
import { isoTime } from '../../../foundation/kernel/clock.ts';
import { roles } from '../access/principal.ts';
import type { Member } from './member-store.ts';

export const roleName = z.enum(roles);

export const memberRecord = z
  .object({
    userId: z.string(),
    email: z.string(),
    name: z.string(),
    role: roleName,
    disabled: z.boolean().describe('True if the host operator disabled the user in every organization.'),
    joinedAt: z.iso.datetime(),
  })
  .meta({ id: 'Member' });

export type MemberRecord = z.output<typeof memberRecord>;

export function toMemberRecord({ userId, email, name, role, disabled, createdAt }: Member): MemberRecord {
  return { userId, email, name, role, disabled, joinedAt: isoTime(createdAt) };
}

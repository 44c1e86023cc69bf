import { z } from 'zod';
import type { Role } from '../../../features/identity/access/principal.ts';
import type { Member } from '../../../features/identity/people/member-store.ts';
import { isoTime } from '../../../foundation/kernel/clock.ts';

const roles = ['owner', 'admin', 'member'] as const satisfies readonly Role[];

export const roleName = z.enum(roles);

export const memberRecord = z
  .object({
    userId: z.string(),
    email: z.string(),
    name: z.string(),
    role: roleName,
    disabled: z.boolean().describe('Whether the host operator shut this user out, of every organization.'),
    joinedAt: z.iso.datetime(),
  })
  .meta({ id: 'Member' });

export type MemberRecord = z.output<typeof memberRecord>;

export function toMemberRecord({ userId, email, name, role, disabled, createdAt }: Member): MemberRecord {
  return { userId, email, name, role, disabled, joinedAt: isoTime(createdAt) };
}

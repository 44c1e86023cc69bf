import { z } from 'zod';
import { NotFound } from '../foundation/kernel/errors.ts';
import type { ApiClient } from './api-client.ts';
import { findEntry, type RemoteList } from './remote-page.ts';

export const memberRecord = z.looseObject({
  userId: z.string(),
  email: z.string(),
  role: z.string(),
  disabled: z.boolean().nullish(),
});

export type MemberRecord = z.output<typeof memberRecord>;

export const roles = ['owner', 'admin', 'member'] as const;

export const memberList: RemoteList<MemberRecord> = {
  path: '/members',
  item: memberRecord,
  cells: ({ email, role, userId, disabled }) => [email, role, userId, disabled === true ? 'disabled' : ''],
  none: 'Nobody is a member.',
};

export function memberPath({ userId }: MemberRecord): string {
  return `/members/${encodeURIComponent(userId)}`;
}

/** By e-mail or user id. @throws NotFound */
export async function findMember(api: ApiClient, emailOrId: string): Promise<MemberRecord> {
  const email = emailOrId.toLowerCase();
  const found = await findEntry(api, memberList, (one) => one.email === email || one.userId === emailOrId);
  if (found !== undefined) return found;
  throw new NotFound(`"${emailOrId}" is not a member of ${api.target.org}. See: orgctx member list`);
}

import type { z } from 'zod';
import { memberRecord } from '../../features/identity/people/member-record.ts';
import { NotFound } from '../../foundation/kernel/errors.ts';
import type { ApiClient } from '../remote/api-client.ts';
import { findEntry, type RemoteList } from '../remote/remote-page.ts';
import { tolerant } from '../remote/tolerant.ts';

export const remoteMember = tolerant(
  memberRecord.pick({ userId: true, email: true, role: true, disabled: true }).partial({ disabled: true }),
);

export type RemoteMember = z.output<typeof remoteMember>;

export const memberList: RemoteList<RemoteMember> = {
  path: '/members',
  item: remoteMember,
  plural: 'members',
  idOf: ({ userId }) => userId,
  labelOf: ({ email }) => email,
  columns: (shortId) => [
    { title: 'EMAIL', cell: ({ email }) => email, shrinks: 1 },
    { title: 'ROLE', cell: ({ role }) => role },
    {
      title: 'STATE',
      cell: ({ disabled }) => (disabled === true ? 'disabled' : 'active'),
      style: ({ disabled }) => (disabled === true ? 'red' : undefined),
    },
    { title: 'ID', cell: shortId },
  ],
  none: 'Nobody is a member. Invite someone: "orgctx invitation add <email>".',
};

export function memberPath({ userId }: RemoteMember): string {
  return `/members/${encodeURIComponent(userId)}`;
}

/**
 * Returns the member with this e-mail address or user id.
 * @throws NotFound
 */
export async function findMember(api: ApiClient, emailOrId: string): Promise<RemoteMember> {
  const email = emailOrId.toLowerCase();
  const found = await findEntry(api, memberList, emailOrId, (one) => one.email === email);
  if (found !== undefined) return found;
  throw new NotFound(
    `"${emailOrId}" is not a member of ${api.target.org}. Run "orgctx member list" to see its members.`,
  );
}

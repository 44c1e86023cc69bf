import type { z } from 'zod';
import {
  invitationRecord,
  newInvitationRecord,
} from '../../features/identity/invitations/invitation-record.ts';
import { NotFound } from '../../foundation/kernel/errors.ts';
import { ageOfTime } from '../frame/lists/age.ts';
import type { ApiClient } from '../remote/api-client.ts';
import { findEntry, type RemoteList } from '../remote/remote-page.ts';
import { tolerant } from '../remote/tolerant.ts';

const fields = { id: true, email: true, role: true, expiresAt: true } as const;

const remoteInvitation = tolerant(invitationRecord.pick(fields));

export const newInvitation = tolerant(newInvitationRecord.pick({ ...fields, link: true }));

export type RemoteInvitation = z.output<typeof remoteInvitation>;

export const invitationList: RemoteList<RemoteInvitation> = {
  path: '/invitations',
  item: remoteInvitation,
  plural: 'invitations',
  idOf: ({ id }) => id,
  labelOf: ({ email }) => email,
  columns: (shortId) => [
    { title: 'EMAIL', cell: ({ email }) => email, shrinks: 1 },
    { title: 'ROLE', cell: ({ role }) => role },
    { title: 'EXPIRES', cell: ({ expiresAt }) => ageOfTime(expiresAt, 'never') },
    { title: 'ID', cell: shortId },
  ],
  none: 'No invitation is open. Invite someone: "orgctx invitation add <email>".',
};

/**
 * Returns the open invitation with this e-mail address or id.
 * @throws NotFound
 */
export async function findInvitation(api: ApiClient, emailOrId: string): Promise<RemoteInvitation> {
  const email = emailOrId.toLowerCase();
  const found = await findEntry(api, invitationList, emailOrId, (one) => one.email === email);
  if (found !== undefined) return found;
  throw new NotFound(
    `There is no open invitation of "${emailOrId}" to ${api.target.org}. Run "orgctx invitation list" to see the open ones.`,
  );
}

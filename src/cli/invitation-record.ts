import { z } from 'zod';
import { NotFound } from '../foundation/kernel/errors.ts';
import type { ApiClient } from './api-client.ts';
import { findEntry, type RemoteList } from './remote-page.ts';

export const invitationRecord = z.looseObject({
  id: z.string(),
  email: z.string(),
  role: z.string(),
  expiresAt: z.string(),
});

export type InvitationRecord = z.output<typeof invitationRecord>;

export const invitationList: RemoteList<InvitationRecord> = {
  path: '/invitations',
  item: invitationRecord,
  cells: ({ email, role, id, expiresAt }) => [email, role, id, `until ${expiresAt}`],
  none: 'No invitation is open. Invite someone: orgctx invitation add <email>',
};

/** By e-mail or id. @throws NotFound */
export async function findInvitation(api: ApiClient, emailOrId: string): Promise<InvitationRecord> {
  const email = emailOrId.toLowerCase();
  const found = await findEntry(api, invitationList, (one) => one.email === email || one.id === emailOrId);
  if (found !== undefined) return found;
  throw new NotFound(
    `There is no open invitation of "${emailOrId}" to ${api.target.org}. See: orgctx invitation list`,
  );
}

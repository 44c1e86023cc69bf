import type { Queries } from '../../../foundation/db/database.ts';
import { Forbidden, NotFound } from '../../../foundation/kernel/errors.ts';
import type { BrowserSession } from '../sign-in/session.ts';
import { enterOrganization } from './enter-organization.ts';
import type { Access } from './principal.ts';

/** A session accepts no calls of clients, so it has none of their scopes. */
const noScopes: Access['principal']['scopes'] = new Set();

/**
 * Admits a signed-in person to the pages of an organization.
 * @throws NotFound, for an unknown organization and a foreign one alike
 */
export async function admitSession(
  deps: { readonly queries: Queries },
  { hash, userId, email }: BrowserSession,
  request: { readonly orgSlug: string; readonly address: string },
): Promise<Access> {
  const credential = { kind: 'session', sessionHash: hash, organizationId: undefined } as const;
  const principal = { userId, email, credential, scopes: noScopes };
  if (request.orgSlug === '') throw noSuchOrganization();
  try {
    const access = await enterOrganization(deps, { principal, membership: undefined }, request.orgSlug);
    return { ...access, address: request.address };
  } catch (error) {
    throw error instanceof Forbidden ? noSuchOrganization() : error;
  }
}

function noSuchOrganization(): NotFound {
  return new NotFound(
    'There is no such organization, or you are not a member of it. Check the address, or ask one of its admins to invite you.',
  );
}

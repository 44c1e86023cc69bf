import { findPasswordHolder } from '../../features/identity/people/user-store.ts';
import type { PageContext } from './pages-deps.ts';
import type { Person } from './signed-in-person.ts';

/**
 * `none` may set one. Who signs in at the identity provider (`elsewhere`) gets no second way in by themselves: it would
 * outlast their account there.
 */
export type PasswordState = 'set' | 'none' | 'elsewhere';

export async function passwordState(
  { identity, upstream }: PageContext,
  { session }: Person,
): Promise<PasswordState> {
  const holder = await findPasswordHolder(identity.database.queries, session.email);
  if (holder?.passwordHash !== undefined) return 'set';
  return upstream === undefined ? 'none' : 'elsewhere';
}

import { findPasswordHolder } from '../../../features/identity/people/user-store.ts';
import type { PageContext } from '../pages-deps.ts';
import type { Person } from '../signed-in-person.ts';

/**
 * The password state: a person has one (`set`) or may set one (`none`). A person who signs in at the identity provider
 * (`elsewhere`) cannot set one, because it would remain valid after their account there ends.
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

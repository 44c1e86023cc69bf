import type { User } from '../../features/identity/people/user.ts';
import { findUser } from '../../features/identity/people/user-store.ts';
import type { Queries } from '../../foundation/db/database.ts';
import { Conflict, NotFound } from '../../foundation/kernel/errors.ts';
import { requiredText } from '../frame/parameters.ts';
import { hostFlags } from '../host/host-flags.ts';

/** The flags of every `admin` command for one person. */
export const personFlags = { ...hostFlags, email: requiredText('email', "the user's e-mail address") };

/** Options of `withHostDatabase`. Only `admin create` creates the database: the others need an existing user. */
export const adminDatabase = { name: 'admin', level: 'warn' } as const;

/** Finds a user. @param otherwise what else to do, after checking the address @throws NotFound */
export async function requireUser(queries: Queries, email: string, otherwise = ''): Promise<User> {
  const user = await findUser(queries, email);
  if (user !== undefined) return user;
  throw new NotFound(
    `There is no user ${email}. Check the address: "orgctx member list" lists the members of an organization.${otherwise}`,
  );
}

/**
 * Finds a user who is not disabled.
 * @throws NotFound naming the command that creates one, Conflict naming the command that enables them
 */
export async function requireEnabledUser(queries: Queries, email: string): Promise<User> {
  const create = ` "orgctx admin create --email ${email} --org <slug>" creates a user.`;
  const user = await requireUser(queries, email, create);
  if (!user.disabled) return user;
  throw new Conflict(
    'conflict',
    `${user.email} is disabled: run "orgctx admin user enable --email ${user.email}" first.`,
  );
}

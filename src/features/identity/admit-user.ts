import type { Database, Queries } from '../../foundation/db/database.ts';
import type { Clock } from '../../foundation/kernel/clock.ts';
import { Conflict } from '../../foundation/kernel/errors.ts';
import { findMembership, putMembership } from './membership-store.ts';
import type { Organization } from './organization.ts';
import { ensureOrganization } from './organization-store.ts';
import { hashPassword } from './password.ts';
import type { Role } from './principal.ts';
import { endSessionsOf } from './session-store.ts';
import type { User } from './user.ts';
import { ensureUser, setPasswordHash } from './user-store.ts';

export interface Admission {
  readonly email: string;
  readonly orgSlug: string;
  /** Of an organization that is created now; default its slug. */
  readonly orgName?: string | undefined;
  /** Without it a member keeps the role they have, and a new one becomes owner. */
  readonly role?: Role | undefined;
  readonly password?: string | undefined;
}

export interface Admitted {
  readonly user: User;
  readonly organization: Organization;
  readonly role: Role;
}

/**
 * By the host operator's word: the user, the organization and the membership, each created when missing, together or
 * not at all.
 * @throws InvalidInput for a bad address, slug, name or password; Conflict for a disabled user or the last owner.
 */
export async function admitUser(
  deps: { readonly database: Database; readonly clock: Clock },
  admission: Admission,
): Promise<Admitted> {
  // Hashed before the transaction: it takes tens of milliseconds and SQLite has one writer.
  const passwordHash = admission.password === undefined ? undefined : await hashPassword(admission.password);
  return deps.database.transaction((tx) => admitWithin(tx, { ...admission, passwordHash }, deps.clock));
}

/** The same inside a transaction, with a password that is hashed already. */
export async function admitWithin(
  tx: Queries,
  admission: Omit<Admission, 'password'> & { readonly passwordHash?: string | undefined },
  clock: Clock,
): Promise<Admitted> {
  const user = await ensureUser(tx, admission.email, clock);
  if (user.disabled) {
    throw new Conflict(
      'conflict',
      `${user.email} is disabled: run "orgctx admin user enable --email ${user.email}" first.`,
    );
  }
  const organization = await ensureOrganization(
    tx,
    { slug: admission.orgSlug, name: admission.orgName },
    clock,
  );
  const role = admission.role ?? (await presentRole(tx, user, organization)) ?? 'owner';
  await putMembership(tx, { organizationId: organization.id, userId: user.id, role }, clock());
  if (admission.passwordHash !== undefined) {
    await setPasswordHash(tx, user.id, admission.passwordHash);
    await endSessionsOf(tx, user.id);
  }
  return { user, organization, role };
}

async function presentRole(tx: Queries, user: User, organization: Organization): Promise<Role | undefined> {
  const wanted = { slug: undefined, organizationId: organization.id };
  return (await findMembership(tx, user.id, wanted))?.role;
}

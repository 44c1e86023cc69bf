import type { Database, Queries } from '../../../foundation/db/database.ts';
import type { Clock } from '../../../foundation/kernel/clock.ts';
import { Conflict } from '../../../foundation/kernel/errors.ts';
import type { Role } from '../access/principal.ts';
import { type AuditActor, actorOfSession } from '../audit/audit.ts';
import { recordAudit, recordNewUser } from '../audit/audit-store.ts';
import { hashPassword } from '../sign-in/password.ts';
import { endSessionsOf } from '../sign-in/session-store.ts';
import { describeExistingAccount, type ExistingAccount } from './existing-account.ts';
import { findMember } from './member-store.ts';
import { lockOrganization, putMembership } from './membership-store.ts';
import type { Organization } from './organization.ts';
import { ensureOrganization } from './organization-store.ts';
import type { User } from './user.ts';
import { ensureUser, setPasswordHash } from './user-store.ts';

export interface Admission {
  readonly email: string;
  readonly orgSlug: string;
  /** Display name, used only if the organization is created. Default: its slug. */
  readonly orgName?: string | undefined;
  /** Default: an existing member keeps their role, and a new member becomes owner. */
  readonly role?: Role | undefined;
  readonly password?: string | undefined;
}

export interface Admitted {
  readonly user: User;
  readonly organization: Organization;
  readonly role: Role;
  /** The account before this call; `undefined` if the call created it. */
  readonly existing: ExistingAccount | undefined;
}

/**
 * Admits a user on behalf of the host operator. Creates the user, the organization and the membership where they are
 * missing, in one transaction.
 * @throws InvalidInput for an invalid address, slug, name or password; Conflict for a disabled user or the last owner
 */
export async function admitUser(
  deps: { readonly database: Database; readonly clock: Clock },
  admission: Admission,
): Promise<Admitted> {
  // Hashing takes tens of milliseconds, so it runs before the transaction: SQLite has only one writer.
  const passwordHash = admission.password === undefined ? undefined : hashPassword(admission.password);
  return deps.database.transaction((tx) =>
    admitUserInTransaction(tx, { ...admission, passwordHash, by: 'host' }, deps.clock),
  );
}

export interface TransactionAdmission extends Omit<Admission, 'password'> {
  readonly passwordHash?: string | undefined;
  /** The actor in the audit log: the host operator, or the new user. */
  readonly by: 'host' | 'user';
  /** Address of the sender of the request. */
  readonly address?: string | undefined;
}

/** Does the same as `admitUser` inside a transaction, with a hashed password. */
export async function admitUserInTransaction(
  tx: Queries,
  admission: TransactionAdmission,
  clock: Clock,
): Promise<Admitted> {
  const { created: isNew, ...user } = await ensureUser(tx, admission.email, clock);
  if (user.disabled) {
    throw new Conflict(
      'conflict',
      `${user.email} is disabled: run "orgctx admin user enable --email ${user.email}" first.`,
    );
  }
  const actor: AuditActor =
    admission.by === 'host'
      ? { kind: 'host' }
      : actorOfSession({ userId: user.id, email: user.email, address: admission.address });
  if (isNew) await recordNewUser(tx, { user, actor }, clock());
  const organization = await organizationFor(tx, admission, actor, clock);
  const existing = isNew ? undefined : await describeExistingAccount(tx, user.id, organization.id);
  const role = await putRole(tx, { user, organization, role: admission.role, actor }, clock());
  if (admission.passwordHash !== undefined) {
    await setPasswordHash(tx, user.id, admission.passwordHash);
    await endSessionsOf(tx, user.id);
    const entry = { organizationId: null, actor, action: 'password.set', target: user.id };
    await recordAudit(tx, { ...entry, details: { email: user.email } }, clock());
  }
  return { user, organization, role, existing };
}

async function organizationFor(
  tx: Queries,
  { orgSlug, orgName }: TransactionAdmission,
  actor: AuditActor,
  clock: Clock,
): Promise<Organization> {
  const { created, ...organization } = await ensureOrganization(tx, { slug: orgSlug, name: orgName }, clock);
  if (created) {
    const { id, slug } = organization;
    const entry = { organizationId: id, actor, action: 'organization.created', target: id };
    await recordAudit(tx, { ...entry, details: { slug } }, clock());
  }
  return organization;
}

interface RoleAssignment extends Pick<Admitted, 'user' | 'organization'> {
  readonly role: Role | undefined;
  readonly actor: AuditActor;
}

async function putRole(
  tx: Queries,
  { user, organization, role, actor }: RoleAssignment,
  now: number,
): Promise<Role> {
  const organizationId = organization.id;
  await lockOrganization(tx, organizationId);
  const current = (await findMember(tx, { organizationId }, { userId: user.id }))?.role;
  const next = role ?? current ?? 'owner';
  if (next === current) return next;
  await putMembership(tx, { organizationId, userId: user.id, role: next }, now);
  const action = current === undefined ? 'member.added' : 'member.changed';
  const details = {
    email: user.email,
    ...(current === undefined ? { role: next } : { from: current, to: next }),
  };
  await recordAudit(tx, { organizationId, actor, action, target: user.id, details }, now);
  return next;
}

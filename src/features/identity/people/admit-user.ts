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
  /** As it was before; `undefined` for an account that was made now. */
  readonly existing: ExistingAccount | undefined;
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
  const passwordHash = admission.password === undefined ? undefined : hashPassword(admission.password);
  return deps.database.transaction((tx) =>
    admitWithin(tx, { ...admission, passwordHash, by: 'host' }, deps.clock),
  );
}

export interface AdmissionWithin extends Omit<Admission, 'password'> {
  readonly passwordHash?: string | undefined;
  /** Who stands in the audit log for it; the new person themselves where it is their own doing. */
  readonly by: 'host' | 'themselves';
  /** Where their request came from. */
  readonly address?: string | undefined;
}

/** The same inside a transaction, with a password that is hashed already. */
export async function admitWithin(tx: Queries, admission: AdmissionWithin, clock: Clock): Promise<Admitted> {
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
  { orgSlug, orgName }: AdmissionWithin,
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

interface RoleToPut extends Pick<Admitted, 'user' | 'organization'> {
  readonly role: Role | undefined;
  readonly actor: AuditActor;
}

async function putRole(
  tx: Queries,
  { user, organization, role, actor }: RoleToPut,
  now: number,
): Promise<Role> {
  const organizationId = organization.id;
  await lockOrganization(tx, organizationId);
  const present = (await findMember(tx, { organizationId }, { userId: user.id }))?.role;
  const given = role ?? present ?? 'owner';
  if (given === present) return given;
  await putMembership(tx, { organizationId, userId: user.id, role: given }, now);
  const action = present === undefined ? 'member.added' : 'member.changed';
  const details = {
    email: user.email,
    ...(present === undefined ? { role: given } : { from: present, to: given }),
  };
  await recordAudit(tx, { organizationId, actor, action, target: user.id, details }, now);
  return given;
}

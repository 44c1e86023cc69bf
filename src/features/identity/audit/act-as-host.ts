import type { Queries } from '../../../foundation/db/database.ts';
import type { RecordJobs } from '../../../foundation/jobs/inspect/retry-jobs.ts';
import type { Clock } from '../../../foundation/kernel/clock.ts';
import { NotFound } from '../../../foundation/kernel/errors.ts';
import type { OrganizationId } from '../../../foundation/kernel/ids.ts';
import { revokeApiKey } from '../api-keys/api-key-store.ts';
import { type CreatedApiKey, createApiKey, type NewApiKey } from '../api-keys/create-api-key.ts';
import type { IdentityDeps } from '../identity-deps.ts';
import type { User } from '../people/user.ts';
import { disableUser, enableUser } from '../people/user-store.ts';
import { createOneTimeLink, type OneTimeLink } from '../sign-in/one-time-link.ts';
import { endSessionsOf } from '../sign-in/session-store.ts';
import type { AuditActor } from './audit.ts';
import { type AuditEntry, recordAudit } from './audit-store.ts';

// Actions of the host operator. Each writes an entry to the audit log.

const actor: AuditActor = { kind: 'host' };

/** Creates a link that signs the user in once, within 30 minutes. */
export async function createSignInLinkAsHost(
  { database, clock }: IdentityDeps,
  { id: userId, email }: User,
): Promise<OneTimeLink> {
  return database.transaction(async (tx) => {
    const entry = { organizationId: null, actor, action: 'sign-in-link.created', target: userId };
    await recordAudit(tx, { ...entry, details: { email } }, clock());
    return createOneTimeLink(tx, { purpose: 'sign-in', userId }, clock);
  });
}

/** Creates an API key of the user. @throws InvalidInput for an invalid name */
export async function createApiKeyAsHost(
  { database, clock }: IdentityDeps,
  user: User,
  request: Pick<NewApiKey, 'name' | 'expiresIn'>,
): Promise<CreatedApiKey> {
  return database.transaction(async (tx) => {
    const created = await createApiKey(tx, { ...request, userId: user.id }, clock);
    const { id: target, name, prefix } = created;
    const details = { name, prefix, email: user.email };
    await recordAudit(
      tx,
      { organizationId: null, actor, action: 'api-key.created', target, details },
      clock(),
    );
    return created;
  });
}

/** Revokes an API key. A second revocation keeps the time of the first. @throws NotFound */
export async function revokeApiKeyAsHost({ database, clock }: IdentityDeps, id: string): Promise<void> {
  await database.transaction(async (tx) => {
    if (!(await revokeApiKey(tx, id, clock()))) {
      throw new NotFound('There is no API key with this id: ids are printed when a key is created.');
    }
    await recordAudit(tx, { organizationId: null, actor, action: 'api-key.revoked', target: id }, clock());
  });
}

/** Disables a user with effect from the next request. Ends the user's sessions, but deletes no other data. */
export async function disableUserAsHost({ database, clock }: IdentityDeps, user: User): Promise<void> {
  await database.transaction(async (tx) => {
    await disableUser(tx, user.id, clock());
    await endSessionsOf(tx, user.id);
    const entry = { organizationId: null, actor, action: 'user.disabled', target: user.id };
    await recordAudit(tx, { ...entry, details: { email: user.email } }, clock());
  });
}

/** Enables a disabled user. Keys and grants are valid again; browsers must sign in again. */
export async function enableUserAsHost({ database, clock }: IdentityDeps, user: User): Promise<void> {
  await database.transaction(async (tx) => {
    await enableUser(tx, user.id);
    const entry = { organizationId: null, actor, action: 'user.enabled', target: user.id };
    await recordAudit(tx, { ...entry, details: { email: user.email } }, clock());
  });
}

/** Returns the recorder of jobs that the operator retried or discarded: one entry per organization and task. */
export function recordJobsAsHost(action: 'jobs.retried' | 'jobs.discarded', clock: Clock): RecordJobs {
  return async (tx, jobs) => {
    const groups = Map.groupBy(jobs, ({ task, payload }) => `${organizationOf(payload) ?? ''} ${task}`);
    for (const group of groups.values()) {
      const [{ task, payload } = { task: '', payload: '{}' }] = group;
      const details = { task, jobs: group.map(({ id }) => id) };
      await recordAudit(tx, { organizationId: organizationOf(payload), actor, action, details }, clock());
    }
  };
}

/** Returns the organization that a job belongs to, if its payload names one. */
function organizationOf(payload: string): OrganizationId | null {
  const { organizationId } = JSON.parse(payload) as { readonly organizationId?: unknown };
  return typeof organizationId === 'string' ? (organizationId as OrganizationId) : null;
}

/** Records an action on the whole deployment. */
export async function recordAsHost(
  tx: Queries,
  { action, details }: Pick<AuditEntry, 'action' | 'details'>,
  clock: Clock,
): Promise<void> {
  await recordAudit(tx, { organizationId: null, actor, action, ...(details && { details }) }, clock());
}

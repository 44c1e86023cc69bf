import { NotFound } from '../../../foundation/kernel/errors.ts';
import { revokeApiKey } from '../api-keys/api-key-store.ts';
import { type CreatedApiKey, createApiKey, type NewApiKey } from '../api-keys/create-api-key.ts';
import type { IdentityDeps } from '../identity-deps.ts';
import type { User } from '../people/user.ts';
import { disableUser, enableUser } from '../people/user-store.ts';
import { createOneTimeLink, type OneTimeLink } from '../sign-in/one-time-link.ts';
import { endSessionsOf } from '../sign-in/session-store.ts';
import type { AuditActor } from './audit.ts';
import { recordAudit } from './audit-store.ts';

// What the operator of the host does to people and their keys, each with its entry in the audit log.

const actor: AuditActor = { kind: 'host' };

/** A link that signs the user in, once, within 30 minutes. */
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

/** @throws InvalidInput for a bad name */
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

/** Revoking one twice keeps the first time. @throws NotFound */
export async function revokeApiKeyAsHost({ database, clock }: IdentityDeps, id: string): Promise<void> {
  await database.transaction(async (tx) => {
    if (!(await revokeApiKey(tx, id, clock()))) {
      throw new NotFound('There is no API key with this id: ids are printed when a key is created.');
    }
    await recordAudit(tx, { organizationId: null, actor, action: 'api-key.revoked', target: id }, clock());
  });
}

/** Shuts a user out of everything with the next request; nothing of theirs is deleted. */
export async function disableUserAsHost({ database, clock }: IdentityDeps, user: User): Promise<void> {
  await database.transaction(async (tx) => {
    await disableUser(tx, user.id, clock());
    await endSessionsOf(tx, user.id);
    const entry = { organizationId: null, actor, action: 'user.disabled', target: user.id };
    await recordAudit(tx, { ...entry, details: { email: user.email } }, clock());
  });
}

/** Lets a disabled user in again, with the keys and grants they had. Browsers sign in anew. */
export async function enableUserAsHost({ database, clock }: IdentityDeps, user: User): Promise<void> {
  await database.transaction(async (tx) => {
    await enableUser(tx, user.id);
    const entry = { organizationId: null, actor, action: 'user.enabled', target: user.id };
    await recordAudit(tx, { ...entry, details: { email: user.email } }, clock());
  });
}

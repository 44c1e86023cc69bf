import type { Queries } from '../../../foundation/db/database.ts';
import { Conflict, Forbidden, NotFound } from '../../../foundation/kernel/errors.ts';
import { isUuid, type OrganizationId, type UserId } from '../../../foundation/kernel/ids.ts';
import type { Page, PageRequest } from '../../../foundation/kernel/wire/page.ts';
import { noAccess, requireWholeOrganization } from '../access/enter-organization.ts';
import type { Access } from '../access/principal.ts';
import { actorOf } from '../audit/audit.ts';
import { recordAudit } from '../audit/audit-store.ts';
import type { IdentityDeps } from '../identity-deps.ts';
import { findMembership, lockOrganization } from '../people/membership-store.ts';
import type { ApiKey } from './api-key.ts';
import { countApiKeys, endApiKey, type KeyFilter, listApiKeys } from './api-key-store.ts';
import { type CreatedApiKey, createApiKey, type NewApiKey } from './create-api-key.ts';

/** Maximum number of active keys of a user. */
const maxKeys = 200;

/**
 * Returns the filter of the keys that a caller can access. A caller bound to one organization, by a grant or a key,
 * sees and creates only keys bound to it, so that a new key cannot give access to other organizations. Users of
 * orgctx's own command line can also list and revoke unbound keys, which gives no further access.
 */
function keysOf({ principal: { userId, credential } }: Access): KeyFilter {
  const includeUnbound = credential.kind === 'oauth' && credential.firstParty;
  return { userId, organizationId: credential.organizationId, includeUnbound };
}

/** Lists the caller's own keys, oldest first. @throws InvalidInput for an invalid limit or cursor */
export function listOwnApiKeys(
  { database }: IdentityDeps,
  access: Access,
  request: PageRequest = {},
): Promise<Page<ApiKey>> {
  return listApiKeys(database.queries, keysOf(access), request);
}

/**
 * Creates a key for the caller.
 * @throws Forbidden for a third-party client; InvalidInput for an invalid name; Conflict for too many keys, or for
 *   a key that exists already
 */
export async function createOwnApiKey(
  { database, clock }: IdentityDeps,
  access: Access,
  request: Pick<NewApiKey, 'id' | 'name' | 'expiresIn' | 'repositories'>,
): Promise<CreatedApiKey> {
  requireKeyCreator(access);
  requireWholeOrganization(access);
  const { userId, organizationId: bound } = keysOf(access);
  // A key that is limited to repositories opens only their organization.
  const organizationId = request.repositories === undefined ? bound : access.scope.organizationId;
  return database.transaction(async (tx) => {
    if (organizationId !== undefined) await requireMember(tx, userId, organizationId);
    if ((await countApiKeys(tx, userId)) >= maxKeys) throw tooMany();
    const created = await createApiKey(tx, { ...request, userId, organizationId }, clock);
    const { id, name, prefix } = created;
    const entry = {
      organizationId: access.scope.organizationId,
      actor: actorOf(access),
      action: 'api-key.created',
    };
    await recordAudit(
      tx,
      { ...entry, target: id, details: { name, prefix, repositories: request.repositories } },
      clock(),
    );
    return created;
  });
}

/**
 * Revokes one of the caller's own keys.
 * @throws NotFound with the same message for a key that is unknown, of another user, outside the filter or already
 * revoked
 */
export async function revokeOwnApiKey(
  { database, clock }: IdentityDeps,
  access: Access,
  id: string,
): Promise<void> {
  await database.transaction(async (tx) => {
    const revoked = isUuid(id) ? await endApiKey(tx, keysOf(access), id, clock()) : undefined;
    if (revoked === undefined) {
      throw new NotFound('You have no API key with this id. List your API keys to see their ids.');
    }
    const entry = {
      organizationId: access.scope.organizationId,
      actor: actorOf(access),
      action: 'api-key.revoked',
    };
    await recordAudit(tx, { ...entry, target: id, details: { name: revoked.name } }, clock());
  });
}

/**
 * Refuses third-party clients, because a key outlives the grant of its creator and ignores its scopes: a client that
 * was allowed for an hour would otherwise keep its access after the grant has ended.
 */
function requireKeyCreator({ principal: { credential } }: Access): void {
  if (credential.kind !== 'oauth' || credential.firstParty) return;
  throw new Forbidden(
    'forbidden',
    'An OAuth client cannot create API keys, because they would outlive its grant. Create one yourself: ' +
      'run "orgctx login", then "orgctx key add --name <name>", or "orgctx admin key create --email <email> --name <name>" on the host.',
  );
}

/** Checks the membership again under the lock, so that a concurrent removal of the member also revokes the new key. */
async function requireMember(tx: Queries, userId: UserId, organizationId: OrganizationId): Promise<void> {
  await lockOrganization(tx, organizationId);
  const membership = await findMembership(tx, userId, { slug: undefined, organizationId });
  if (membership === undefined) throw noAccess();
}

function tooMany(): Conflict {
  return new Conflict(
    'conflict',
    `A user can have at most ${maxKeys} API keys. Revoke the keys that are not used.`,
  );
}

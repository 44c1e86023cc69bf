import type { Queries } from '../../../foundation/db/database.ts';
import { Conflict, Forbidden, NotFound } from '../../../foundation/kernel/errors.ts';
import { isUuid, type OrganizationId, type UserId } from '../../../foundation/kernel/ids.ts';
import type { Page, PageRequest } from '../../../foundation/kernel/page.ts';
import { noAccess } from '../access/enter-organization.ts';
import type { Access } from '../access/principal.ts';
import { actorOf } from '../audit/audit.ts';
import { recordAudit } from '../audit/audit-store.ts';
import type { IdentityDeps } from '../identity-deps.ts';
import { findMembership, lockOrganization } from '../people/membership-store.ts';
import type { ApiKey } from './api-key.ts';
import { countApiKeys, endApiKey, type KeysOf, listApiKeys } from './api-key-store.ts';
import { type CreatedApiKey, createApiKey, type NewApiKey } from './create-api-key.ts';

/** Of one user. */
const mostKeys = 200;

/**
 * Which keys a caller reaches. Who is let into one organization alone, by a grant or by such a key, sees and makes
 * keys that open no other: a key must not lead around the boundary that its maker stands behind. With our own command
 * line people also find and end those that open all of theirs: that leads nowhere.
 */
function keysOf({ principal: { userId, credential } }: Access): KeysOf {
  const unboundToo = credential.kind === 'oauth' && credential.firstParty;
  return { userId, organizationId: credential.organizationId, unboundToo };
}

/** The caller's own keys, oldest first. @throws InvalidInput for a bad limit or cursor */
export function listOwnApiKeys(
  { database }: IdentityDeps,
  access: Access,
  request: PageRequest = {},
): Promise<Page<ApiKey>> {
  return listApiKeys(database.queries, keysOf(access), request);
}

/**
 * @throws Forbidden for a client of others; InvalidInput for a bad name; Conflict for too many keys
 */
export async function createOwnApiKey(
  { database, clock }: IdentityDeps,
  access: Access,
  request: Pick<NewApiKey, 'name' | 'expiresIn'>,
): Promise<CreatedApiKey> {
  requireKeyMaker(access);
  const { userId, organizationId } = keysOf(access);
  return database.transaction(async (tx) => {
    if (organizationId !== undefined) await requireMember(tx, userId, organizationId);
    if ((await countApiKeys(tx, userId)) >= mostKeys) throw tooMany();
    const created = await createApiKey(tx, { ...request, userId, organizationId }, clock);
    const { id, name, prefix } = created;
    const entry = {
      organizationId: access.scope.organizationId,
      actor: actorOf(access),
      action: 'api-key.created',
    };
    await recordAudit(tx, { ...entry, target: id, details: { name, prefix } }, clock());
    return created;
  });
}

/** @throws NotFound, alike for an id that is unknown, somebody else's, out of the caller's reach or ended before */
export async function revokeOwnApiKey(
  { database, clock }: IdentityDeps,
  access: Access,
  id: string,
): Promise<void> {
  await database.transaction(async (tx) => {
    const ended = isUuid(id) ? await endApiKey(tx, keysOf(access), id, clock()) : undefined;
    if (ended === undefined) throw new NotFound('You have no such API key: list yours to see their ids.');
    const entry = {
      organizationId: access.scope.organizationId,
      actor: actorOf(access),
      action: 'api-key.revoked',
    };
    await recordAudit(tx, { ...entry, target: id, details: { name: ended.name } }, clock());
  });
}

/**
 * A key outlives the grant that would make it, its end and its scopes: whoever lets a client in for an hour, and ends
 * that, has let it in for good otherwise.
 */
function requireKeyMaker({ principal: { credential } }: Access): void {
  if (credential.kind === 'api-key' || credential.firstParty) return;
  throw new Forbidden(
    'forbidden',
    'A client that signed in makes no API keys, since they would outlive what it was allowed. Make one yourself: ' +
      'run "orgctx login", then "orgctx key add", or "orgctx admin key create" on the host.',
  );
}

/** Asked again, and waited for: what ends the keys of a removed member must not miss this one. */
async function requireMember(tx: Queries, userId: UserId, organizationId: OrganizationId): Promise<void> {
  await lockOrganization(tx, organizationId);
  const membership = await findMembership(tx, userId, { slug: undefined, organizationId });
  if (membership === undefined) throw noAccess();
}

function tooMany(): Conflict {
  return new Conflict('conflict', `A user has at most ${mostKeys} API keys: end those that are not used.`);
}

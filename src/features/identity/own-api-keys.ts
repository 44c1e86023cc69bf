import { Conflict, Forbidden, NotFound } from '../../foundation/kernel/errors.ts';
import { isUuid } from '../../foundation/kernel/ids.ts';
import type { Page, PageRequest } from '../../foundation/kernel/page.ts';
import type { ApiKey } from './api-key.ts';
import { countApiKeys, endApiKey, type KeysOf, listApiKeys } from './api-key-store.ts';
import { actorOf } from './audit.ts';
import { recordAudit } from './audit-store.ts';
import { type CreatedApiKey, createApiKey, type NewApiKey } from './create-api-key.ts';
import type { IdentityDeps } from './identity-deps.ts';
import type { Access } from './principal.ts';

/** Of one user. */
const mostKeys = 200;

/**
 * Which keys a caller reaches. Who is let into one organization alone, by a grant or by such a key, sees and makes
 * keys that open no other: a key must not lead around the boundary that its maker stands behind.
 */
function keysOf({ principal }: Access): KeysOf {
  return { userId: principal.userId, organizationId: principal.credential.organizationId };
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
  const keys = keysOf(access);
  return database.transaction(async (tx) => {
    if ((await countApiKeys(tx, keys.userId)) >= mostKeys) throw tooMany();
    const created = await createApiKey(tx, { ...request, ...keys }, clock);
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

function tooMany(): Conflict {
  return new Conflict('conflict', `A user has at most ${mostKeys} API keys: end those that are not used.`);
}

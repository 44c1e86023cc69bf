import { existsSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { hasLiveApiKey } from '../features/identity/api-keys/api-key-store.ts';
import { createApiKeyAsHost, createSignInLinkAsHost } from '../features/identity/audit/act-as-host.ts';
import { admitUser } from '../features/identity/people/admit-user.ts';
import type { User } from '../features/identity/people/user.ts';
import { oneTimeLinkUrl } from '../features/identity/sign-in/one-time-link.ts';
import type { Repository } from '../features/repositories/repository.ts';
import { getRepository } from '../features/repositories/repository-store.ts';
import { addRepository } from '../features/repositories/setup/add-repository.ts';
import { syncRepository } from '../features/repositories/sync-repository.ts';
import type { Config } from '../foundation/config/config.ts';
import type { Database } from '../foundation/db/database.ts';
import type { GitSource } from '../foundation/git/source/git-source.ts';
import { parseSource } from '../foundation/git/source/parse-source.ts';
import { systemClock as clock } from '../foundation/kernel/clock.ts';
import { Conflict } from '../foundation/kernel/errors.ts';
import type { OrgScope } from '../foundation/kernel/org-scope.ts';

/** The address of the owner that `quickstart` creates. It is not a real address, so it cannot collide with one. */
const ownerEmail = 'owner@localhost';

export interface Provisioned {
  readonly scope: OrgScope;
  readonly owner: User;
}

/** Creates an organization and its owner, unless they exist. */
export async function provisionOrganization(database: Database, orgSlug: string): Promise<Provisioned> {
  const { user, organization } = await admitUser(
    { database, clock },
    { email: ownerEmail, orgSlug, role: 'owner' },
  );
  return { scope: { organizationId: organization.id, orgSlug: organization.slug }, owner: user };
}

/**
 * Creates an API key of the owner; returns null if an existing one is valid and no new one is requested. A key is
 * shown once, so it is created last, when no other step can fail before it is printed.
 */
export async function provisionKey(
  database: Database,
  owner: User,
  { newKey }: { readonly newKey: boolean },
): Promise<string | null> {
  if (!newKey && (await hasLiveApiKey(database.queries, owner.id, clock()))) return null;
  return (await createApiKeyAsHost({ database, clock }, owner, { name: 'quickstart' })).apiKey;
}

/** Creates a link that signs the owner in once, within 30 minutes. */
export async function signInUrlFor(database: Database, appUrl: string, owner: User): Promise<string> {
  const link = await createSignInLinkAsHost({ database, clock }, owner);
  return oneTimeLinkUrl(appUrl, link.token);
}

/**
 * Adds the source as a repository of the organization, or syncs it if it exists. A different source with the same
 * name gets another name. A folder is accepted regardless of ALLOW_LOCAL_REPOSITORIES, because the user on this host
 * can read it anyway.
 */
export async function provisionRepository(
  database: Database,
  scope: OrgScope,
  source: string,
  { outbound, dataDir }: Pick<Config, 'outbound' | 'dataDir'>,
): Promise<Repository> {
  const rules = { allowLocal: true, explainFolders: true, allowHosts: outbound.allowHosts, dataDir };
  const parsed = parseSource(source, rules);
  for (let count = 1; ; count += 1) {
    const name = count === 1 ? {} : { name: `${parsed.defaultName}-${count}` };
    try {
      return await addRepository({ database, clock, ...rules }, scope, { kind: 'host' }, { source, ...name });
    } catch (error) {
      const existing = await conflictingRepository(database, scope, error);
      if (await isSame(parsed, existing))
        return syncRepository({ database, clock }, scope, { kind: 'host' }, existing.id);
    }
  }
}

/** Returns the existing repository that a new one conflicts with. @throws the error if there is none */
async function conflictingRepository(
  { queries }: Database,
  scope: OrgScope,
  error: unknown,
): Promise<Repository> {
  const id = error instanceof Conflict ? error.detail?.['repositoryId'] : undefined;
  const existing = typeof id === 'string' ? await getRepository(queries, scope, id) : undefined;
  if (existing === undefined || existing.state === 'removing') throw error;
  return existing;
}

/** Returns whether a repository has this source, whatever branch it follows. Records contain the real path of a folder. */
async function isSame(source: GitSource, existing: Repository): Promise<boolean> {
  const recorded = source.kind === 'folder' ? await realpath(source.url) : source.displayName;
  return existing.source === recorded;
}

/** Returns the path of the Git repository that contains a folder, or `undefined`. */
export function enclosingRepository(folder: string): string | undefined {
  for (let path = resolve(folder); ; path = dirname(path)) {
    if (existsSync(join(path, '.git'))) return path;
    if (dirname(path) === path) return undefined;
  }
}

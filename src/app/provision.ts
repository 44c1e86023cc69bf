import { existsSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { hasLiveApiKey } from '../features/identity/api-keys/api-key-store.ts';
import { createApiKeyAsHost, createSignInLinkAsHost } from '../features/identity/audit/act-as-host.ts';
import { admitUser } from '../features/identity/people/admit-user.ts';
import type { User } from '../features/identity/people/user.ts';
import { oneTimeLinkUrl } from '../features/identity/sign-in/one-time-link.ts';
import { addRepository } from '../features/repositories/add-repository.ts';
import type { Repository } from '../features/repositories/repository.ts';
import { getRepository } from '../features/repositories/repository-store.ts';
import { syncRepository } from '../features/repositories/sync-repository.ts';
import type { Config } from '../foundation/config/config.ts';
import type { Database } from '../foundation/db/database.ts';
import type { GitSource } from '../foundation/git/git-source.ts';
import { parseSource } from '../foundation/git/parse-source.ts';
import { systemClock as clock } from '../foundation/kernel/clock.ts';
import { Conflict } from '../foundation/kernel/errors.ts';
import type { OrgScope } from '../foundation/kernel/org-scope.ts';

/** The owner that `quickstart` makes: nobody's address, so that it never collides with a person's. */
const ownerEmail = 'owner@localhost';

export interface Provisioned {
  readonly scope: OrgScope;
  readonly owner: User;
}

/** An organization with an owner, each made only where it is missing. */
export async function provisionOrganization(database: Database, orgSlug: string): Promise<Provisioned> {
  const { user, organization } = await admitUser(
    { database, clock },
    { email: ownerEmail, orgSlug, role: 'owner' },
  );
  return { scope: { organizationId: organization.id, orgSlug: organization.slug }, owner: user };
}

/**
 * A key of the owner; null where an earlier one still works and no other is asked for. A key is shown once, so it is
 * made when everything else is done and nothing can keep it from being printed.
 */
export async function provisionKey(
  database: Database,
  owner: User,
  { newKey }: { readonly newKey: boolean },
): Promise<string | null> {
  if (!newKey && (await hasLiveApiKey(database.queries, owner.id, clock()))) return null;
  return (await createApiKeyAsHost({ database, clock }, owner, { name: 'quickstart' })).apiKey;
}

/** A link that signs the owner in, once, within 30 minutes. */
export async function signInUrlFor(database: Database, appUrl: string, owner: User): Promise<string> {
  const link = await createSignInLinkAsHost({ database, clock }, owner);
  return oneTimeLinkUrl(appUrl, link.token);
}

/**
 * The source as a repository of the organization; one that is there already is brought up to date. Another source of
 * the same name gets a name of its own. A folder is taken whatever ALLOW_LOCAL_REPOSITORIES says: whoever runs this
 * on the host could read it anyway.
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
      return await addRepository({ database, clock, ...rules }, scope, { source, ...name });
    } catch (error) {
      const twin = await twinOf(database, scope, error);
      if (await isSame(parsed, twin)) return syncRepository({ database, clock }, scope, twin.id);
    }
  }
}

/** The repository that stood in the way of a new one. @throws the error when there is none */
async function twinOf({ queries }: Database, scope: OrgScope, error: unknown): Promise<Repository> {
  const id = error instanceof Conflict ? error.detail?.['repositoryId'] : undefined;
  const twin = typeof id === 'string' ? await getRepository(queries, scope, id) : undefined;
  if (twin === undefined || twin.state === 'removing') throw error;
  return twin;
}

/** Quickstart follows the default branch, and records hold the real path of a folder. */
async function isSame(source: GitSource, twin: Repository): Promise<boolean> {
  const recorded = source.kind === 'folder' ? await realpath(source.url) : source.displayName;
  return twin.branch === undefined && twin.source === recorded;
}

/** The Git repository that a folder lies in, or `undefined`. */
export function repositoryAround(folder: string): string | undefined {
  for (let path = resolve(folder); ; path = dirname(path)) {
    if (existsSync(join(path, '.git'))) return path;
    if (dirname(path) === path) return undefined;
  }
}

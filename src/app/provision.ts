import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { admitUser } from '../features/identity/admit-user.ts';
import { hasLiveApiKey } from '../features/identity/api-key-store.ts';
import { createApiKey } from '../features/identity/create-api-key.ts';
import { createOneTimeLink, oneTimeLinkUrl } from '../features/identity/one-time-link.ts';
import type { User } from '../features/identity/user.ts';
import { addRepository } from '../features/repositories/add-repository.ts';
import type { Repository } from '../features/repositories/repository.ts';
import { syncRepository } from '../features/repositories/sync-repository.ts';
import type { Database } from '../foundation/db/database.ts';
import { systemClock as clock } from '../foundation/kernel/clock.ts';
import { Conflict } from '../foundation/kernel/errors.ts';
import type { RepositoryId } from '../foundation/kernel/ids.ts';
import type { OrgScope } from '../foundation/kernel/org-scope.ts';

/** The owner that `quickstart` makes: nobody's address, so that it never collides with a person's. */
const ownerEmail = 'owner@localhost';

export interface Provisioned {
  readonly scope: OrgScope;
  readonly owner: User;
  /** The key just made; null where an earlier one still works, since keys are shown once. */
  readonly apiKey: string | null;
}

/** An organization with an owner and a key that works, each made only where it is missing. */
export async function provisionOrganization(
  database: Database,
  orgSlug: string,
  { newKey }: { readonly newKey: boolean },
): Promise<Provisioned> {
  const { user, organization } = await admitUser(
    { database, clock },
    { email: ownerEmail, orgSlug, role: 'owner' },
  );
  const keep = !newKey && (await hasLiveApiKey(database.queries, user.id, clock()));
  const key = keep
    ? undefined
    : await createApiKey(database.queries, { userId: user.id, name: 'quickstart' }, clock);
  return {
    scope: { organizationId: organization.id, orgSlug: organization.slug },
    owner: user,
    apiKey: key?.apiKey ?? null,
  };
}

/** A link that signs the owner in, once, within 30 minutes. */
export async function signInUrlFor(database: Database, appUrl: string, owner: User): Promise<string> {
  const link = await createOneTimeLink(database.queries, { purpose: 'sign-in', userId: owner.id }, clock);
  return oneTimeLinkUrl(appUrl, link.token);
}

/**
 * The source as a repository of the organization; one that is there already is brought up to date. A folder is
 * taken whatever ALLOW_LOCAL_REPOSITORIES says: whoever runs this on the host could read it anyway.
 */
export async function provisionRepository(
  database: Database,
  scope: OrgScope,
  source: string,
  allowHosts: readonly string[],
): Promise<Repository> {
  try {
    return await addRepository({ database, clock, allowLocal: true, allowHosts }, scope, { source });
  } catch (error) {
    const id = error instanceof Conflict ? error.detail?.['repositoryId'] : undefined;
    if (typeof id !== 'string') throw error;
    return syncRepository({ database, clock }, scope, id as RepositoryId);
  }
}

/** The Git repository that a folder lies in, or `undefined`. */
export function repositoryAround(folder: string): string | undefined {
  for (let path = resolve(folder); ; path = dirname(path)) {
    if (existsSync(join(path, '.git'))) return path;
    if (dirname(path) === path) return undefined;
  }
}

import type { Role } from '../../src/features/identity/access/principal.ts';
import { admitUser } from '../../src/features/identity/people/admit-user.ts';
import { setPasswordHash } from '../../src/features/identity/people/user-store.ts';
import { hashPassword } from '../../src/features/identity/sign-in/password.ts';
import {
  openPasswordHashing,
  type PasswordHashing,
} from '../../src/features/identity/sign-in/password-hashing.ts';
import type { UpstreamProvider } from '../../src/features/identity/upstream/upstream-provider.ts';
import type { Database } from '../../src/foundation/db/database.ts';
import { systemClock } from '../../src/foundation/kernel/clock.ts';
import { createSealer } from '../../src/foundation/secrets/sealer.ts';
import { pageRoutes } from '../../src/surfaces/pages/page-routes.ts';
import type { PagesDeps } from '../../src/surfaces/pages/pages-deps.ts';
import { openTestAuthorizationServer, testAuthSecret } from './authorization-server.ts';
import { openTestHttp, publicOrigin, type TestHttp, type TestHttpOptions } from './http-server.ts';
import { noLimits } from './no-limits.ts';

export const password = 'correct horse battery staple';

export interface TestPagesOptions extends TestHttpOptions {
  readonly provider?: UpstreamProvider;
  /** Default: the product's. */
  readonly hashing?: PasswordHashing;
}

/** Everything that a browser meets: the HTTP surface, the authorization server and the pages, over a real database. */
export async function openTestPages(
  database: Database,
  { provider, hashing, ...options }: TestPagesOptions = {},
): Promise<TestHttp> {
  const baseUrl = options.baseUrl ?? publicOrigin;
  const oauth = await openTestAuthorizationServer(database, { baseUrl });
  const deps = testPagesDeps(database, { baseUrl, oauth, hashing });
  const sealer = createSealer(testAuthSecret, 'orgctx/upstream/v1');
  const pages = pageRoutes({
    ...deps,
    ...(provider && { upstream: { ...deps.identity, provider, sealer } }),
  });
  return openTestHttp(database, {
    limits: noLimits,
    ...options,
    oauth,
    plugins: [...(options.plugins ?? []), { name: 'pages', plugin: pages }],
  });
}

export function testPagesDeps(
  database: Database,
  {
    baseUrl,
    oauth,
    hashing = openPasswordHashing(),
  }: {
    readonly baseUrl: string;
    readonly oauth: PagesDeps['oauth'];
    readonly hashing?: PasswordHashing | undefined;
  },
): PagesDeps {
  return {
    config: { baseUrl, appUrl: baseUrl },
    identity: { database, clock: systemClock, hashing },
    oauth,
    sealer: createSealer(testAuthSecret, 'orgctx/forms/v1'),
  };
}

/** A person with `password`, a member of these organizations. */
export async function openPerson(
  database: Database,
  email: string,
  memberships: readonly { readonly orgSlug: string; readonly role: Role }[],
): Promise<void> {
  const deps = { database, clock: systemClock };
  for (const membership of memberships) {
    const { user } = await admitUser(deps, { email, ...membership });
    await setPasswordHash(database.queries, user.id, hashPassword(password));
  }
}

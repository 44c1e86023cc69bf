import type { Role } from '../../../src/features/identity/access/principal.ts';
import { admitUser } from '../../../src/features/identity/people/admit-user.ts';
import { setPasswordHash } from '../../../src/features/identity/people/user-store.ts';
import {
  openPasswordHashing,
  type PasswordHashing,
} from '../../../src/features/identity/sign-in/password-hashing.ts';
import type { UpstreamProvider } from '../../../src/features/identity/upstream/upstream-provider.ts';
import type { Database } from '../../../src/foundation/db/database.ts';
import { systemClock } from '../../../src/foundation/kernel/clock.ts';
import { createSealer } from '../../../src/foundation/secrets/sealer.ts';
import { pageRoutes } from '../../../src/surfaces/pages/page-routes.ts';
import type { PagesDeps } from '../../../src/surfaces/pages/pages-deps.ts';
import { sharedHostChecks } from '../../../src/surfaces/pages/system/host-checks.ts';
import { testSetup } from '../connectors/test-setup.ts';
import { testGithosts } from '../git/test-githosts.ts';
import { emptyKnowledge } from '../graph/opened-graph.ts';
import { openTestAuthorizationServer, testAuthSecret } from '../identity/authorization-server.ts';
import { passwordHash } from '../identity/password-hash.ts';
import {
  openTestAnswers,
  openTestHttp,
  openTestKeyring,
  publicOrigin,
  type TestHttp,
  type TestHttpOptions,
} from './http-server.ts';
import { noLimits } from './no-limits.ts';

export const password = 'correct horse battery staple';

export interface TestPagesOptions extends TestHttpOptions {
  readonly provider?: UpstreamProvider;
  /** Default: the product's. */
  readonly hashing?: PasswordHashing;
  /** Dependencies of the callbacks of connectors. Default: `testSetup`. */
  readonly setup?: PagesDeps['connections'];
  /** Default: checks that find nothing. */
  readonly hostChecks?: PagesDeps['hostChecks'];
}

/** Opens the HTTP surface, the authorization server and the pages over a real database. */
export async function openTestPages(
  database: Database,
  { provider, hashing, hostChecks, ...options }: TestPagesOptions = {},
): Promise<TestHttp> {
  const baseUrl = options.baseUrl ?? publicOrigin;
  const oauth = await openTestAuthorizationServer(database, { baseUrl });
  const githosts = options.githosts ?? testGithosts(database, await openTestKeyring(database));
  const { setup: connections, knowledge } = options;
  const answers = openTestAnswers(database, baseUrl, options);
  const parts = { answers, knowledge, githosts, connections, hashing };
  const deps = testPagesDeps(database, { baseUrl, oauth, ...parts });
  const sealer = createSealer(testAuthSecret, 'orgctx/upstream/v1');
  const pages = pageRoutes({
    ...deps,
    ...(hostChecks && { hostChecks }),
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
    answers = openTestAnswers(database, baseUrl),
    knowledge = emptyKnowledge,
    // Tests that open no Git host need no keyring.
    githosts = testGithosts(database, undefined as never),
    connections = testSetup(database, undefined as never, { githosts }),
    hashing = openPasswordHashing(),
  }: {
    readonly baseUrl: string;
    readonly oauth: PagesDeps['oauth'];
    readonly answers?: PagesDeps['answers'] | undefined;
    readonly knowledge?: PagesDeps['knowledge'] | undefined;
    readonly githosts?: PagesDeps['githosts'] | undefined;
    readonly connections?: PagesDeps['connections'] | undefined;
    readonly hashing?: PasswordHashing | undefined;
  },
): PagesDeps {
  return {
    config: { baseUrl, appUrl: baseUrl },
    identity: { database, clock: systemClock, hashing },
    oauth,
    repositories: connections.repositories,
    answers,
    knowledge,
    githosts,
    connections,
    hostChecks: sharedHostChecks(async () => emptyReport, systemClock),
    sealer: createSealer(testAuthSecret, 'orgctx/forms/v1'),
  };
}

const emptyReport = { schemaVersion: 1, status: 'ok', checks: [] } as const;

/** Creates a person with `password` who is a member of these organizations. */
export async function openPerson(
  database: Database,
  email: string,
  memberships: readonly { readonly orgSlug: string; readonly role: Role }[],
): Promise<void> {
  const deps = { database, clock: systemClock };
  for (const membership of memberships) {
    const { user } = await admitUser(deps, { email, ...membership });
    await setPasswordHash(database.queries, user.id, passwordHash(password));
  }
}

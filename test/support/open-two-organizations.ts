import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify';
import { freePort } from '../../src/app/bind-port.ts';
import type { CodeSearch, SourceReader } from '../../src/backends/codesearch/port.ts';
import type { Role } from '../../src/features/identity/access/principal.ts';
import { createApiKey } from '../../src/features/identity/api-keys/create-api-key.ts';
import { removeMembership } from '../../src/features/identity/people/membership-store.ts';
import { disableUser, findUser, setPasswordHash } from '../../src/features/identity/people/user-store.ts';
import { hashPassword } from '../../src/features/identity/sign-in/password.ts';
import { systemClock } from '../../src/foundation/kernel/clock.ts';
import type { RepositoryId, UserId } from '../../src/foundation/kernel/ids.ts';
import { mcpRoute } from '../../src/surfaces/mcp/route.ts';
import { pageRoutes } from '../../src/surfaces/pages/page-routes.ts';
import { openTestAuthorizationServer } from './authorization-server.ts';
import type { TestDatabase } from './databases.ts';
import { openTestAnswers, openTestHttp, openTestKeyring } from './http-server.ts';
import { noLimits } from './no-limits.ts';
import { type Name, password, steps } from './oauth-http.ts';
import { testPagesDeps } from './pages.ts';
import { silentLog } from './silent-log.ts';
import { type SeededOrganization, secretOf, seedEverything, seedVisitor } from './two-organizations.ts';

/** Credentials of those who have no business in the foreign organization, by what they are. */
export type Strangers = Readonly<Record<string, string | undefined>>;

/** A deployment with an organization of the caller's own, and one that is none of their business. */
export interface TwoOrganizations {
  readonly database: TestDatabase;
  readonly server: FastifyInstance;
  readonly own: SeededOrganization;
  readonly foreign: SeededOrganization;
  strangers(): Promise<Strangers>;
  send(credential: string | undefined, request: InjectOptions): Promise<LightMyRequestResponse>;
  /** A new member of the foreign organization, with a key and with an access token bound to it. */
  join(): Promise<Joined>;
  remove(userId: UserId): Promise<void>;
  disable(userId: UserId): Promise<void>;
  close(): Promise<void>;
}

export interface Joined {
  readonly userId: UserId;
  readonly key: string;
  readonly token: string;
  readonly keyId: string;
  readonly grantId: string;
}

export async function openTwoOrganizations(database: TestDatabase): Promise<TwoOrganizations> {
  const keyring = await openTestKeyring(database);
  const own = await seedEverything(database, keyring, 'globex');
  const foreign = await seedEverything(database, keyring, 'acme');
  const { server, oauth } = await openServer(database);
  const world = {
    database,
    server,
    own,
    foreign,
    remove: (userId: UserId) => removeFrom(database, foreign, userId),
    disable: (userId: UserId) => disableUser(database.queries, userId, systemClock()),
  };
  const tokenOf = issuer(database, oauth);
  return {
    ...world,
    strangers: () => seedStrangers(world, tokenOf),
    join: () => joined(world, tokenOf),
    send: (credential, { headers, ...request }) =>
      server.inject({ ...request, headers: { ...headers, ...(credential && authorization(credential)) } }),
    close: () => server.close(),
  };
}

type World = Pick<TwoOrganizations, 'database' | 'own' | 'foreign' | 'remove' | 'disable'>;

/** The whole service with its pages, listening on loopback, since tokens are issued by the way through the pages. */
async function openServer(database: TestDatabase) {
  const port = await freePort('127.0.0.1');
  const baseUrl = `http://127.0.0.1:${port}`;
  const oauth = await openTestAuthorizationServer(database, { baseUrl });
  const parts = { codeSearch: carelessSearch(database), sources: carelessSources(database) };
  const { verifyAccessToken } = oauth;
  const identity = { queries: database.queries, clock: systemClock, verifyAccessToken };
  const answers = openTestAnswers(database, baseUrl, parts);
  const mcp = mcpRoute({ deps: { baseUrl, version: '1.2.3', identity, answers }, log: silentLog });
  // Thousands of refusals come from one address here.
  const { server } = await openTestHttp(database, {
    ...parts,
    baseUrl,
    oauth,
    limits: noLimits,
    plugins: [
      { name: 'mcp', plugin: mcp },
      { name: 'pages', plugin: pageRoutes(testPagesDeps(database, { baseUrl, oauth })) },
    ],
  });
  await server.listen({ host: '127.0.0.1', port });
  return { server, oauth: steps(baseUrl) };
}

type TokenOf = (name: string, orgSlug: string) => Promise<string>;

/** Access tokens of people by their name, each bound to an organization by the person's own choice. */
function issuer(database: TestDatabase, oauth: ReturnType<typeof steps>): TokenOf {
  let hash: string | undefined;
  return async (name, organization) => {
    hash ??= hashPassword(password);
    const user = await findUser(database.queries, `${name}@example.com`);
    if (user === undefined) throw new Error(`there is no ${name}`);
    await setPasswordHash(database.queries, user.id, hash);
    const parameters = { scope: 'mcp api' };
    const choice = { who: name as Name, organization, parameters };
    const { status, body } = await oauth.connect(await oauth.register(), choice);
    if (status !== 200) throw new Error(`no token for ${name}: ${status} ${JSON.stringify(body)}`);
    return body.access_token;
  };
}

/** An engine that trusts whoever asks: what keeps organizations apart must stand before it. */
function carelessSearch(database: TestDatabase): Partial<CodeSearch> {
  const file = {
    commit: 'c'.repeat(40),
    path: 'a.ts',
    language: 'TypeScript',
    score: 1,
    branch: 'main',
    reasons: [],
  };
  return {
    search: async (_scope, { repositories }) => {
      const ids = repositories?.map(({ id }) => id) ?? (await everyRepository(database));
      const files = [];
      for (const repository of ids) {
        const text = await contentOf(database, repository);
        // Whatever is asked for, definitions of the name in the matrix of tools among it.
        const symbol = { name: 'secret', kind: 'constant' } as const;
        const match = { line: 1, column: 1, length: 6, text, textOffset: 0, before: [], after: [], symbol };
        files.push({ ...file, repository, matches: [match], moreMatches: 0 });
      }
      return { files, stats: { candidates: 1, scanned: 1, matched: files.length, milliseconds: 0 } };
    },
    rank: async (_scope, { repositories }) => {
      const ids = repositories?.map(({ id }) => id) ?? (await everyRepository(database));
      const spans = [{ startLine: 1, endLine: 1 }];
      return { files: ids.map((repository) => ({ ...file, repository, reasons: ['content'], spans })) };
    },
  };
}

function carelessSources(database: TestDatabase): Partial<SourceReader> {
  const commit = 'c'.repeat(40);
  return {
    readFile: async (_scope, { repository, path }) => {
      const content = await contentOf(database, repository);
      return { commit, path, language: 'TypeScript', bytes: content.length, content };
    },
    listTree: async (_scope, { repository }) => {
      const path = await contentOf(database, repository);
      return { commit, entries: [{ path, kind: 'file', bytes: 1 }] };
    },
  };
}

async function everyRepository({ queries }: TestDatabase): Promise<readonly RepositoryId[]> {
  const rows = await queries.selectFrom('repositories').select('id').execute();
  return rows.map(({ id }) => id as RepositoryId);
}

async function contentOf({ queries }: TestDatabase, repository: RepositoryId): Promise<string> {
  const { slug } = await queries
    .selectFrom('repositories as r')
    .innerJoin('organizations as o', 'o.id', 'r.organization_id')
    .where('r.id', '=', repository)
    .select('o.slug')
    .executeTakeFirstOrThrow();
  return secretOf(slug, 'content');
}

async function seedStrangers(
  { database, own, foreign, remove, disable }: World,
  tokenOf: TokenOf,
): Promise<Strangers> {
  const inBoth: Record<string, Role> = { [own.slug]: 'owner', [foreign.slug]: 'owner' };
  const removed = await seedVisitor(database, 'removed', inBoth);
  const disabled = await seedVisitor(database, 'disabled', inBoth);
  const both = await seedVisitor(database, 'both', inBoth);
  const unbound = await seedVisitor(database, 'unbound', inBoth);
  await seedVisitor(database, 'gil', { [own.slug]: 'owner' });
  const boundToken = await tokenOf('both', own.slug);
  const bound = { userId: both.userId, name: 'bound', organizationId: own.id };
  // Their client in the foreign organization, of which the one in the other is to know nothing.
  await tokenOf('both', foreign.slug);
  const strangers = {
    'an API key of a member of another organization': own.apiKey,
    'an API key of a removed member': removed.apiKey,
    'an API key of a disabled user': disabled.apiKey,
    'an API key of a member of both, bound to the other one': (
      await createApiKey(database.queries, bound, systemClock)
    ).apiKey,
    'an access token of a member of another organization': await tokenOf('gil', own.slug),
    'an access token of a member of both, bound to the other one': boundToken,
    'an access token of a removed member': await tokenOf('removed', foreign.slug),
    'an access token of a disabled user': await tokenOf('disabled', foreign.slug),
    'an access token of an unbound grant': await tokenOf('unbound', foreign.slug),
    'no credential': undefined,
  };
  await database.queries
    .updateTable('oauth_grants')
    .set({ organization_id: null })
    .where('user_id', '=', unbound.userId)
    .execute();
  await remove(removed.userId);
  await disable(disabled.userId);
  return strangers;
}

async function joined({ database, foreign }: World, tokenOf: TokenOf): Promise<Joined> {
  const { userId, apiKey } = await seedVisitor(database, 'newcomer', { [foreign.slug]: 'member' });
  const { queries } = database;
  const idOf = async (table: 'api_keys' | 'oauth_grants'): Promise<string> => {
    const rows = queries.selectFrom(table).where('user_id', '=', userId).select('id');
    return (await rows.executeTakeFirstOrThrow()).id;
  };
  return {
    userId,
    key: apiKey,
    token: await tokenOf('newcomer', foreign.slug),
    keyId: await idOf('api_keys'),
    grantId: await idOf('oauth_grants'),
  };
}

async function removeFrom(database: TestDatabase, { id }: SeededOrganization, userId: UserId): Promise<void> {
  await database.transaction((tx) => removeMembership(tx, { organizationId: id, userId }));
}

function authorization(credential: string): { authorization: string } {
  return { authorization: `Bearer ${credential}` };
}

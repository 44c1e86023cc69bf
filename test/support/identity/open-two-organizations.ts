import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify';
import type {
  CodeSearch,
  RankedFile,
  RankedPassage,
  SourceReader,
} from '../../../src/backends/codesearch/port.ts';
import type { GraphWriter } from '../../../src/backends/graph/port.ts';
import type { Role } from '../../../src/features/identity/access/principal.ts';
import { createApiKey } from '../../../src/features/identity/api-keys/create-api-key.ts';
import { removeMembership } from '../../../src/features/identity/people/membership-store.ts';
import { disableUser, findUser, setPasswordHash } from '../../../src/features/identity/people/user-store.ts';
import { systemClock } from '../../../src/foundation/kernel/clock.ts';
import type { RepositoryId, UserId } from '../../../src/foundation/kernel/ids.ts';
import { mcpRoute } from '../../../src/surfaces/mcp/route.ts';
import { pageRoutes } from '../../../src/surfaces/pages/page-routes.ts';
import { testSetup } from '../connectors/test-setup.ts';
import type { TestDatabase } from '../database/databases.ts';
import { testGithosts } from '../git/test-githosts.ts';
import { edge, node, unit } from '../graph/graph-facts.ts';
import { openTestGraph } from '../graph/opened-graph.ts';
import { freePort } from '../http/free-port.ts';
import { openTestAnswers, openTestHttp, openTestKeyring } from '../http/http-server.ts';
import { noLimits } from '../http/no-limits.ts';
import { testPagesDeps } from '../http/pages.ts';
import { silentLog } from '../silent-log.ts';
import { openTestAuthorizationServer } from './authorization-server.ts';
import { type Name, password, steps } from './oauth-http.ts';
import { passwordHash } from './password-hash.ts';
import { type SeededOrganization, secretOf, seedEverything, seedVisitor } from './two-organizations.ts';

/** Credentials without access to the foreign organization, by description. */
export type Strangers = Readonly<Record<string, string | undefined>>;

/** A deployment with the caller's own organization and a foreign one. */
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
  const { server, oauth, graph } = await openServer(database);
  for (const organization of [own, foreign]) await seedGraph(graph.writer, organization);
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
    close: async () => {
      await server.close();
      await graph.close();
    },
  };
}

/** Writes a file and a label, which reveal their organization by name. */
async function seedGraph(
  writer: GraphWriter,
  { id: organizationId, slug, names }: SeededOrganization,
): Promise<void> {
  const repositoryId = names.repository;
  const nodes = [
    node(names.entity, secretOf(slug, 'graph-name'), { url: secretOf(slug, 'graph-url') }),
    node(`file:${repositoryId}:a.ts`, secretOf(slug, 'graph-file')),
  ];
  const edges = [edge(names.entity, 'mentions', `file:${repositoryId}:a.ts`)];
  const facts = unit(names.entity, { nodes, edges }, { repositoryId });
  await writer.replaceUnits({ organizationId }, [facts]);
}

type World = Pick<TwoOrganizations, 'database' | 'own' | 'foreign' | 'remove' | 'disable'>;

/** Starts the whole service on loopback with its pages, because tokens are issued through the pages. */
async function openServer(database: TestDatabase) {
  const port = await freePort();
  const baseUrl = `http://127.0.0.1:${port}`;
  const oauth = await openTestAuthorizationServer(database, { baseUrl });
  const parts = { codeSearch: uncheckedSearch(database), sources: uncheckedSources(database) };
  const { verifyAccessToken } = oauth;
  const identity = { queries: database.queries, clock: systemClock, verifyAccessToken };
  const answers = openTestAnswers(database, baseUrl, parts);
  const graph = await openTestGraph(database, parts.sources);
  const keyring = await openTestKeyring(database);
  const githosts = testGithosts(database, keyring, { baseUrl });
  const setup = { githosts, connections: testSetup(database, keyring, { githosts, baseUrl }) };
  const mcp = mcpRoute({
    deps: { baseUrl, version: '1.2.3', identity, answers, knowledge: graph },
    log: silentLog,
  });
  // The tests send thousands of refused requests from one address.
  const { server } = await openTestHttp(database, {
    ...parts,
    knowledge: graph,
    baseUrl,
    oauth,
    limits: noLimits,
    plugins: [
      { name: 'mcp', plugin: mcp },
      {
        name: 'pages',
        plugin: pageRoutes(testPagesDeps(database, { baseUrl, oauth, answers, knowledge: graph, ...setup })),
      },
    ],
  });
  await server.listen({ host: '127.0.0.1', port });
  return { server, oauth: steps(baseUrl), graph };
}

type TokenOf = (name: string, orgSlug: string) => Promise<string>;

/** Returns a function that issues access tokens by name of the person, bound to the chosen organization. */
function issuer(database: TestDatabase, oauth: ReturnType<typeof steps>): TokenOf {
  return async (name, organization) => {
    const user = await findUser(database.queries, `${name}@example.com`);
    if (user === undefined) throw new Error(`there is no ${name}`);
    await setPasswordHash(database.queries, user.id, passwordHash(password));
    const parameters = { scope: 'mcp api' };
    const choice = { who: name as Name, organization, parameters };
    const { status, body } = await oauth.connect(await oauth.register(), choice);
    if (status !== 200) throw new Error(`no token for ${name}: ${status} ${JSON.stringify(body)}`);
    return body.access_token;
  };
}

/** A code search without access checks: the isolation must happen before the engine. */
function uncheckedSearch(database: TestDatabase): Partial<CodeSearch> {
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
        // Matches every query, including the symbol name in the tool matrix.
        const symbol = { name: 'secret', kind: 'constant' } as const;
        const match = { line: 1, column: 1, length: 6, text, textOffset: 0, before: [], after: [], symbol };
        files.push({ ...file, repository, matches: [match], moreMatches: 0, lines: [1] });
      }
      return { files, stats: { candidates: 1, scanned: 1, matched: files.length, milliseconds: 0 } };
    },
    rank: async (_scope, { repositories }) => {
      const ids = repositories?.map(({ id }) => id) ?? (await everyRepository(database));
      const files: RankedFile[] = [];
      const best: RankedPassage[] = [];
      const { branch: _branch, ...one } = file;
      for (const repository of ids) {
        const ranked = { ...one, repository, fileClass: 'source', reasons: ['content'] } as const;
        files.push(ranked);
        const text = await contentOf(database, repository);
        const lines = [{ line: 1, text }];
        const place = { startLine: 1, endLine: 1 };
        best.push({ ...ranked, ...place, containers: [], lines, values: [] });
      }
      const passages = { best, nearest: best, confidence: 'likely' } as const;
      return { files, passages, unmatched: [] };
    },
  };
}

function uncheckedSources(database: TestDatabase): Partial<SourceReader> {
  const commit = 'c'.repeat(40);
  return {
    readFile: async (_scope, { repository, path }) => {
      const content = await contentOf(database, repository);
      return { commit, path, language: 'TypeScript', bytes: content.length, content };
    },
    findCommits: async (_scope, { repository, commit: id }) => {
      const message = await contentOf(database, repository);
      const author = { name: message, email: 'someone@example.com' };
      return [{ id, time: 0, author, committer: author, message, paths: [message], changed: 1 }];
    },
    readHistory: async (_scope, { repository }) => {
      const message = await contentOf(database, repository);
      const author = { name: message, email: 'someone@example.com' };
      const change = { id: commit, time: 0, author, message, paths: [message], changed: 1 };
      return { commit, commits: [change], more: false, whole: true };
    },
    readDiff: async (_scope, { repository, commit: id }) => {
      const text = await contentOf(database, repository);
      return {
        commit: id,
        parents: [],
        files: [{ path: text, status: 'added' }],
        continues: [],
        text,
        cut: false,
      };
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
  // A client in the foreign organization, which must not be visible in the other one.
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

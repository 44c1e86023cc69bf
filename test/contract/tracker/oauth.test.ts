import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { requireConnection } from '../../../src/features/connectors/connections/connection-store.ts';
import type { SetupDeps } from '../../../src/features/connectors/connections/connections-deps.ts';
import { createConnection } from '../../../src/features/connectors/connections/create-connection.ts';
import type { ProviderTokens } from '../../../src/features/connectors/port.ts';
import {
  beginAuthorization,
  finishAuthorization,
} from '../../../src/features/connectors/setup/authorize-connection.ts';
import { freshTokens, listScopeOptions } from '../../../src/features/connectors/setup/fresh-tokens.ts';
import { readTokens, saveTokens } from '../../../src/features/connectors/setup/provider-access.ts';
import { tracker as connector } from '../../../src/features/connectors/tracker/connector.ts';
import { ensureOrganization } from '../../../src/features/identity/people/organization-store.ts';
import type { Database } from '../../../src/foundation/db/database.ts';
import { openDatabase } from '../../../src/foundation/db/open-database.ts';
import { systemClock } from '../../../src/foundation/kernel/clock.ts';
import type { ConnectionId } from '../../../src/foundation/kernel/ids.ts';
import type { OrgScope } from '../../../src/foundation/kernel/org-scope.ts';
import type { Keyring } from '../../../src/foundation/secrets/keyring.ts';
import { removeSecrets } from '../../../src/foundation/secrets/secret-store.ts';
import { startTracker, type Tracker } from '../../standins/tracker/tracker.ts';
import { testSetup } from '../../support/connectors/test-setup.ts';
import {
  describeEachDatabase,
  openTestDatabase,
  type TestDatabase,
} from '../../support/database/databases.ts';
import { testGithosts } from '../../support/git/test-githosts.ts';
import { openTestKeyring } from '../../support/http/http-server.ts';
import { silentLog } from '../../support/silent-log.ts';

const { signal } = new AbortController();
// Compared byte for byte: a parser would change the case of the host, the port and the escape.
const redirectUri = 'https://CTX.example:443/api/v1/integrations/tracker/callback?x=%7e';

interface Service {
  readonly tracker: Tracker;
  readonly scope: OrgScope;
  readonly id: ConnectionId;
  readonly deps: SetupDeps;
  advance(ms: number): void;
  /** The same service in another process. */
  inProcess(database: Database): SetupDeps;
  /** Authorizes the connection as a person does in a browser. */
  authorize(): Promise<void>;
}

let tracker: Tracker;
let shared: TestDatabase;
const keyrings = new WeakMap<TestDatabase, Promise<Keyring>>();
let connections = 0;

beforeAll(async () => {
  shared = await openTestDatabase('sqlite');
});

afterAll(() => shared.close());

beforeEach(async () => {
  tracker = await startTracker();
});

afterEach(async () => {
  const strays = tracker.strays();
  await tracker.close();
  expect(strays).toEqual([]);
});

async function start(database = shared): Promise<Service> {
  const app = tracker.addApp(redirectUri);
  const opening = keyrings.get(database) ?? openTestKeyring(database);
  keyrings.set(database, opening);
  const keyring = await opening;
  let skewMs = 0;
  const clock = (): number => systemClock() + skewMs;
  const providerSettings = {
    ...tracker.settings,
    TRACKER_CLIENT_ID: app.clientId,
    TRACKER_CLIENT_SECRET: app.clientSecret,
    TRACKER_REDIRECT_URI: redirectUri,
  };
  const inProcess = (own: Database): SetupDeps =>
    testSetup(own, keyring, {
      githosts: testGithosts(own, keyring, { clock }),
      connectors: [connector],
      providerSettings,
    });
  const deps = inProcess(database);
  const { id: organizationId } = await database.transaction((tx) =>
    ensureOrganization(tx, { slug: 'acme' }, clock),
  );
  const scope: OrgScope = { organizationId, orgSlug: 'acme' };
  const id = await createConnection(deps, scope, { kind: 'tracker', name: `tracker ${(connections += 1)}` });
  return {
    tracker,
    scope,
    id,
    deps,
    advance(ms) {
      skewMs += ms;
      tracker.workspace.advance(ms);
    },
    inProcess,
    async authorize() {
      const target = await tracker.visit(await beginAuthorization(deps, scope, id, signal));
      const given = (name: string): string | undefined => target.searchParams.get(name) ?? undefined;
      const response = {
        state: given('state'),
        code: given('code'),
        error: given('error'),
        errorDescription: undefined,
      };
      await finishAuthorization(deps, 'tracker', response, signal);
    },
  };
}

/** Returns valid tokens as a job gets them. */
async function tokensOf({ scope, id, deps }: Service, own = deps, refused?: string): Promise<string> {
  const connection = await requireConnection(own.database.queries, scope, id);
  return (await freshTokens(own, { connector, connection }, signal, refused)).accessToken;
}

const stored = ({ deps, id }: Service) => readTokens(deps.database.queries, deps.keyring, id);
const hourMs = 3_600_000;

describe('authorizing a workspace', () => {
  it('asks for read access as the user, with PKCE and the redirect URI byte for byte', async () => {
    const service = await start();
    const url = new URL(await beginAuthorization(service.deps, service.scope, service.id, signal));
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      scope: 'read',
      actor: 'user',
      redirect_uri: redirectUri,
      code_challenge_method: 'S256',
    });
  });

  it('is refused by the provider if the redirect URI differs in one character from the registered one', async () => {
    const { deps, scope, id } = await start();
    const url = await beginAuthorization(deps, scope, id, signal);
    const [app] = tracker.oauth.apps;
    Object.assign(app ?? {}, { redirectUris: [`${redirectUri}/`] });
    const refused = await fetch(url, { redirect: 'manual' });
    expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('redirect_uri')]);
    Object.assign(app ?? {}, { redirectUris: [redirectUri] });
    expect((await tracker.visit(url)).href).toContain('callback');
  });

  it('saves whose workspace it is, and its tokens encrypted', async () => {
    const service = await start();
    await service.authorize();
    const connection = await requireConnection(service.deps.database.queries, service.scope, service.id);
    expect(connection).toMatchObject({
      state: 'authorized',
      account: { id: tracker.workspace.id, name: 'Acme', url: expect.stringMatching(/\/acme$/) as string },
    });
    const tokens = await stored(service);
    expect(tracker.oauth.isValid(tokens?.accessToken ?? '')).toBe(true);
    const rows = await service.deps.database.queries
      .selectFrom('connection_secrets')
      .selectAll()
      .where('connection_id', '=', service.id)
      .execute();
    expect(rows.map(({ field }) => field)).toEqual(['tokens']);
    expect(JSON.stringify(rows)).not.toContain(tokens?.accessToken);
  });

  it.each(['write', ''])('is refused if the granted scope is "%s", which cannot read', async (scope) => {
    const service = await start();
    tracker.oauth.scope = scope;
    await expect(service.authorize()).rejects.toThrow(/granted no access to read/);
    expect(await stored(service)).toBeUndefined();
  });

  it.each([['read,write'], ['write read'], [['write', 'read']]])('accepts the scope %j', async (scope) => {
    const service = await start();
    tracker.oauth.scope = scope;
    await service.authorize();
  });

  it('lists what a scope can name, with new tokens if the old ones expired', async () => {
    const service = await start();
    await service.authorize();
    tracker.workspace.add('Team', { key: 'ENG', name: 'Engineering' });
    service.advance(25 * hourMs);
    const page = await listScopeOptions(service.deps, service.scope, service.id, { limit: 50 }, signal);
    expect(page.items).toMatchObject([{ kind: 'team', key: 'ENG', name: 'Engineering' }]);
  });
});

describe('revoking an authorization', () => {
  function revoke(
    { deps }: Service,
    tokens: { accessToken: string; refreshToken?: string | undefined },
  ): Promise<string> | undefined {
    const { http } = deps.provider;
    const context = { http, values: deps.providerSettings, clientId: '', clientSecret: '', signal };
    return connector.oauth.revoke(tokens, context);
  }

  async function authorized(): Promise<readonly [Service, ProviderTokens]> {
    const service = await start();
    await service.authorize();
    const tokens = await stored(service);
    if (tokens === undefined) throw new Error('expected tokens');
    return [service, tokens];
  }

  it('names the access token in its documented field, and says what the provider answered', async () => {
    const [service, tokens] = await authorized();
    expect(await revoke(service, tokens)).toBe('access token: HTTP 200');
    expect(tracker.oauth.revocations).toEqual(['access_token']);
    service.advance(25 * hourMs);
    await expect(tokensOf(service)).rejects.toMatchObject({ code: 'authorization_lost' });
  });

  it('names the refresh token if the access token is too old', async () => {
    const [service, tokens] = await authorized();
    service.advance(25 * hourMs);
    expect(await revoke(service, tokens)).toBe('access token: HTTP 401; refresh token: HTTP 200');
    expect(tracker.oauth.revocations).toEqual(['access_token', 'refresh_token']);
    await expect(tokensOf(service)).rejects.toMatchObject({ code: 'authorization_lost' });
  });

  it('accepts that it was revoked before', async () => {
    const [service, tokens] = await authorized();
    tracker.oauth.revokeAll();
    expect(await revoke(service, tokens)).toBe('access token: HTTP 400; refresh token: HTTP 400');
  });

  it('fails without another attempt if the provider answers as it never does', async () => {
    const [service, tokens] = await authorized();
    tracker.failures.push({ calls: /revoke/, reply: { status: 404 } });
    await expect(revoke(service, tokens)).rejects.toMatchObject({
      retryable: false,
      message: expect.stringContaining('access token: HTTP 404; refresh token: HTTP 404'),
    });
  });

  it('fails if the provider cannot be asked, so that the job tries again', async () => {
    const service = await start();
    tracker.failures.push({ calls: /revoke/, reply: { status: 503 } });
    await expect(revoke(service, { accessToken: 'x' })).rejects.toThrow(/HTTP 503/);
  });
});

describeEachDatabase('tokens', (open) => {
  it('are used until shortly before they expire, then replaced once for all processes', async () => {
    const database = await open();
    const service = await start(database);
    await service.authorize();
    const first = await tokensOf(service);
    service.advance(23 * hourMs);
    expect(await tokensOf(service)).toBe(first);
    service.advance(0.95 * hourMs);
    const other = await openDatabase(database.options, silentLog);
    try {
      const processes = [service.deps, service.inProcess(other)];
      const callers = Array.from({ length: 8 }, (_, n) => tokensOf(service, processes[n % 2]));
      const received = new Set(await Promise.all(callers));
      expect(received.size).toBe(1);
      expect(received).not.toContain(first);
      expect(received).toContain((await stored(service))?.accessToken);
      expect(tracker.oauth.counts).toEqual({ refreshed: 1, reused: 0 });
    } finally {
      await other.close();
    }
  });

  it('are replaced before they expire if the provider refuses them, once for all who report it', async () => {
    const service = await start(await open());
    await service.authorize();
    const refused = await tokensOf(service);
    const received = await Promise.all([1, 2, 3].map(() => tokensOf(service, service.deps, refused)));
    expect(new Set(received).size).toBe(1);
    expect(received).not.toContain(refused);
    expect(tracker.oauth.counts.refreshed).toBe(1);
  });

  it('are replaced although the process that began to replace them was killed', async () => {
    const service = await start(await open());
    await service.authorize();
    service.advance(25 * hourMs);
    await service.deps.database.queries
      .updateTable('connections')
      .set({ refresh_holder: 'killed', refresh_until: service.deps.clock() + 500 })
      .where('id', '=', service.id)
      .execute();
    await tokensOf(service);
    expect(tracker.oauth.counts.refreshed).toBe(1);
  });
});

describe('a reply with tokens', () => {
  type Body = Readonly<Record<string, unknown>>;

  it.each<[string, (body: Body) => object | string]>([
    ['a scope as a list', (body) => ({ ...body, scope: ['read'] })],
    ['a scope of another type', (body) => ({ ...body, scope: { read: true } })],
    ['a long scope', (body) => ({ ...body, scope: 'read '.repeat(2_000) })],
    ['a life time as text', (body) => ({ ...body, expires_in: '86399' })],
    ['no life time', ({ expires_in: _none, ...body }) => body],
    ['a life time that is no number', (body) => ({ ...body, expires_in: 'soon' })],
  ])('is read although it has %s', async (_, reshape) => {
    const service = await start();
    await service.authorize();
    service.advance(25 * hourMs);
    tracker.oauth.reshape = reshape;
    const fresh = await tokensOf(service);
    expect(tracker.oauth.isValid(fresh)).toBe(true);
    expect(tracker.oauth.counts).toEqual({ refreshed: 1, reused: 0 });
  });

  it.each<[string, (body: Body) => object | string]>([
    ['has no access token', ({ access_token: _none, ...body }) => body],
    ['has an access token of another type', (body) => ({ ...body, access_token: 7 })],
    ['is not quite JSON', (body) => JSON.stringify(body).replace(/}$/, ',}')],
    ['is cut off', (body) => JSON.stringify(body).slice(0, -1)],
  ])('that %s never loses the new refresh token', async (_, reshape) => {
    const service = await start();
    await service.authorize();
    const before = await stored(service);
    service.advance(25 * hourMs);
    tracker.oauth.reshape = reshape;
    await expect(tokensOf(service)).rejects.toMatchObject({ retryable: true });
    expect((await stored(service))?.refreshToken).not.toBe(before?.refreshToken);
    tracker.oauth.reshape = (body) => body;
    expect(tracker.oauth.isValid(await tokensOf(service))).toBe(true);
    expect(tracker.oauth.counts).toEqual({ refreshed: 2, reused: 0 });
    const { queries } = service.deps.database;
    expect((await requireConnection(queries, service.scope, service.id)).state).toBe('authorized');
  });
});

describe('a refresh that fails', () => {
  it.each([
    ['the provider is down', { status: 503 }],
    ['the client secret is wrong', { status: 401, body: { error: 'invalid_client' } }],
    ['the answer is cut off', 'malformed'],
    ['the connection breaks', 'reset'],
  ] as const)('keeps the tokens and the connection: %s', async (_, reply) => {
    const service = await start();
    await service.authorize();
    const before = await stored(service);
    service.advance(25 * hourMs);
    tracker.failures.push({ calls: /token/, times: 1, reply });
    const error: unknown = await tokensOf(service).catch((thrown: unknown) => thrown);
    expect(error).not.toMatchObject({ code: 'authorization_lost' });
    expect(String(error)).toMatch(/try again|client id and secret|sent no valid|could not be reached/i);
    expect(await stored(service)).toEqual(before);
    const { queries } = service.deps.database;
    expect((await requireConnection(queries, service.scope, service.id)).state).toBe('authorized');
    await tokensOf(service);
  });

  it('disconnects the connection with the next step if the authorization ended, and keeps the tokens', async () => {
    const service = await start();
    await service.authorize();
    const before = await stored(service);
    tracker.oauth.revokeAll();
    service.advance(25 * hourMs);
    await expect(tokensOf(service)).rejects.toThrow(/Authorize it again/);
    expect(await stored(service)).toEqual(before);
    const { queries } = service.deps.database;
    const { state, error } = await requireConnection(queries, service.scope, service.id);
    expect({ state, code: error?.code }).toEqual({ state: 'disconnected', code: 'authorization_lost' });
    await service.authorize();
    expect(await tokensOf(service)).toBe((await stored(service))?.accessToken);
  });

  it('does not matter if the tokens were replaced meanwhile', async () => {
    const service = await start();
    await service.authorize();
    service.advance(25 * hourMs);
    const { database, keyring, clock } = service.deps;
    const app = tracker.oauth.apps[0];
    if (app === undefined) throw new Error('expected an app');
    const fresh = { ...tracker.oauth.issue(app), expiresAt: clock() + hourMs };
    tracker.oauth.revokeAll();
    tracker.beforeAnswer = async (call) => {
      if (call === 'POST /oauth/token')
        await saveTokens(database.queries, keyring, service.id, fresh, clock());
    };
    expect(await tokensOf(service)).toBe(fresh.accessToken);
    const { state } = await requireConnection(database.queries, service.scope, service.id);
    expect(state).toBe('authorized');
  });

  it('never replaces the tokens of an authorization that ended meanwhile', async () => {
    const service = await start();
    await service.authorize();
    service.advance(25 * hourMs);
    const { database, keyring, clock } = service.deps;
    const app = tracker.oauth.apps[0];
    if (app === undefined) throw new Error('expected an app');
    const fresh = { ...tracker.oauth.issue(app), expiresAt: clock() + hourMs };
    tracker.beforeAnswer = async (call) => {
      if (call === 'POST /oauth/token')
        await saveTokens(database.queries, keyring, service.id, fresh, clock());
    };
    expect(await tokensOf(service)).toBe(fresh.accessToken);
    expect((await stored(service))?.accessToken).toBe(fresh.accessToken);
  });

  it('saves no tokens of a connection that was removed meanwhile, and revokes them', async () => {
    const service = await start();
    await service.authorize();
    service.advance(25 * hourMs);
    const { database } = service.deps;
    const calls: string[] = [];
    tracker.beforeAnswer = async (call) => {
      calls.push(call);
      if (call !== 'POST /oauth/token') return;
      await database.queries.deleteFrom('connections').where('id', '=', service.id).execute();
      await removeSecrets(database.queries, service.id);
    };
    await expect(tokensOf(service)).rejects.toMatchObject({ status: 409 });
    expect(calls).toEqual(['POST /oauth/token', 'POST /oauth/revoke']);
    expect(await stored(service)).toBeUndefined();
  });

  it('is not caused by a caller that gives up: the new tokens are saved', async () => {
    const service = await start();
    await service.authorize();
    service.advance(25 * hourMs);
    const giveUp = new AbortController();
    tracker.beforeAnswer = (call) => {
      if (call === 'POST /oauth/token') giveUp.abort();
    };
    const connection = await requireConnection(service.deps.database.queries, service.scope, service.id);
    await freshTokens(service.deps, { connector, connection }, giveUp.signal);
    expect(tracker.oauth.isValid((await stored(service))?.accessToken ?? '')).toBe(true);
  });
});

import { expect, it, onTestFinished } from 'vitest';
import { clientDocumentsCheck } from '../../../src/features/doctor/host/checks/client-documents.ts';
import {
  claimTrial,
  recordDocumentRead,
} from '../../../src/features/oauth/client-documents/document-reads.ts';
import type { Database } from '../../../src/foundation/db/database.ts';
import { type DocumentHost, openDocumentHost } from '../../standins/document-host.ts';
import { describeEachDatabase } from '../../support/database/databases.ts';
import { freePort } from '../../support/http/free-port.ts';
import { openTestAuthorizationServer } from '../../support/identity/authorization-server.ts';
import { openTestOauth, type TestClient, type TestOauthOptions } from '../../support/identity/oauth-http.ts';

const hour = 3_600_000;
const redirectUri = 'http://127.0.0.1:33418/callback';
/** A redirect URI that only a document permits. */
const elsewhere = 'https://app.example/callback';
const document = {
  client_name: 'Example',
  redirect_uris: [redirectUri, elsewhere],
  grant_types: ['authorization_code', 'refresh_token'],
};

describeEachDatabase('client metadata documents (OAUTH_CLIENT_DOCUMENTS)', (open) => {
  async function setUp(options: TestOauthOptions = {}) {
    let ahead = 0;
    const clock = () => Date.now() + ahead;
    const database = await open();
    const port = await freePort();
    const all = { clock, allowHosts: ['localhost'], ...options };
    const service = await openTestOauth(database, all);
    onTestFinished(() => service.close());
    const client: TestClient = { client_id: `https://localhost:${port}/client`, redirectUri };
    const metadata = async (path = '/.well-known/oauth-authorization-server') => {
      const answer = await fetch(service.baseUrl + path);
      const body = (await answer.json()) as Record<string, unknown>;
      return { advertised: body['client_id_metadata_document_supported'], headers: answer.headers };
    };
    return {
      database,
      service,
      client,
      options: all,
      wait: (ms: number) => void (ahead += ms),
      metadata,
      advertised: async () => (await metadata()).advertised,
      /** Starts a sign-in and returns its page, or the redirect that leaves it. */
      ask: (changes: Partial<TestClient> = {}) =>
        service.browser().open(service.authorizationUrl({ ...client, ...changes }).url),
      openHost: async (path = '/client'): Promise<DocumentHost> => {
        const host = await openDocumentHost(port);
        host.serve(path, document);
        return host;
      },
    };
  }

  /** Returns whether another backend with the same database advertises documents. */
  async function advertisedByOther(database: Database, clock: () => number): Promise<unknown> {
    const options = { baseUrl: 'http://127.0.0.1:1', clock, allowHosts: ['localhost'] };
    const other = await openTestAuthorizationServer(database, options);
    onTestFinished(() => other.close());
    return (await other.metadata())['client_id_metadata_document_supported'];
  }

  it('are withdrawn for an hour once a read fails without a connection, and then tried again', async () => {
    const { database, options, ask, advertised, metadata, wait, openHost } = await setUp();
    expect(await advertised()).toBe(true);
    expect((await ask()).status).toBe(200);
    const { headers } = await metadata();
    expect(headers.get('cache-control')).toBe('no-cache');
    expect(await metadata('/.well-known/openid-configuration')).toMatchObject({ advertised: false });
    expect(await advertised()).toBe(false);
    expect(await advertisedByOther(database, options.clock)).toBe(false);

    // The host fails again after the hour: withdrawn for another hour.
    wait(hour);
    expect(await advertised()).toBe(false);
    const host = await openHost();
    onTestFinished(() => host[Symbol.asyncDispose]());
    wait(hour - 600_000);
    expect([await advertised(), host.requestedPaths]).toEqual([false, []]);
    wait(600_000);
    // One backend tries it, however many are asked.
    await Promise.all([advertised(), advertised(), advertisedByOther(database, options.clock)]);
    expect([await advertised(), host.requestedPaths]).toEqual([true, ['/client']]);
    wait(24 * hour);
    expect([await advertised(), host.requestedPaths]).toEqual([true, ['/client']]);
  });

  it.each(['auto', 'off'] as const)(
    'are not needed without outgoing connections to redirect to the machine of the user (%s)',
    async (clientDocuments) => {
      const { ask, service, database, client, wait, openHost } = await setUp({ clientDocuments });
      for (const uri of [redirectUri, 'http://localhost:1/callback?kept=1', 'http://[::1]:1/'])
        expect((await ask({ redirectUri: uri })).html).toContain('name="password"');
      // Addresses of other machines, or that no client can register.
      const others = [elsewhere, 'http://127.0.0.1.evil.example/', 'http://a@localhost/'];
      for (const uri of [...others, 'http://127.1/', 'cursor://app/callback']) {
        const page = await ask({ redirectUri: uri });
        expect([page.status, page.left, page.html.includes(uri)]).toEqual([400, undefined, false]);
        expect(page.html).toContain('has not read the metadata document of the client');
        expect(page.html).toContain('try again');
      }

      const { status, body } = await service.connect(client);
      expect(status).toBe(200);
      expect((await service.use(body.access_token)).mcp).toBe(200);
      expect((await service.refresh(client, body.refresh_token)).status).toBe(200);
      const grants = await database.queries.selectFrom('oauth_grants').select('client_name').execute();
      expect(grants).toEqual([{ client_name: client.client_id }]);

      // A document that is read applies at once; the host is asked again after 30 seconds.
      wait(30_000);
      const host = await openHost();
      onTestFinished(() => host[Symbol.asyncDispose]());
      host.serve('/client', { ...document, redirect_uris: [elsewhere] });
      const page = await ask();
      if (clientDocuments === 'auto') expect(page.html).toContain('has not registered');
      else expect([page.html.includes('name="password"'), host.requestedPaths]).toEqual([true, []]);
    },
  );

  it('that a host does not serve are needed while another host does', async () => {
    const { ask, openHost, client } = await setUp();
    const host = await openHost('/other');
    onTestFinished(() => host[Symbol.asyncDispose]());
    expect((await ask({ client_id: host.url('/other') })).status).toBe(200);
    const port = await freePort();
    const page = await ask({ client_id: `https://localhost:${port}/client` });
    expect([page.status, page.left]).toEqual([400, undefined]);
    expect(page.html).toMatch(/document could not be read: localhost.* refused the connection/);
    const href = /<a href="([^"]+)">Go back to/.exec(page.html)?.[1]?.replaceAll('&amp;', '&') ?? '';
    expect(href.startsWith(`${client.redirectUri}?error=temporarily_unavailable&`)).toBe(true);
  });

  it('are tried again by one of many backends', async () => {
    const { queries } = await open();
    await recordDocumentRead(queries, 'https://app.example/client', 'unconnected', 0);
    const claims = await Promise.all(Array.from({ length: 8 }, () => claimTrial(queries, hour)));
    expect(claims.filter(Boolean)).toHaveLength(1);
  });

  it('are read as before while they are withdrawn, which does not shorten the hour', async () => {
    const { ask, advertised, wait, openHost } = await setUp();
    await ask();
    const host = await openHost();
    onTestFinished(() => host[Symbol.asyncDispose]());
    expect((await ask()).html).toContain('name="password"');
    expect(await advertised()).toBe(false);
    wait(hour);
    expect(await advertised()).toBe(true);
  });

  it('stay advertised when a host answers without a document', async () => {
    const { ask, advertised, openHost } = await setUp();
    const host = await openHost();
    onTestFinished(() => host[Symbol.asyncDispose]());
    for (const status of [302, 404, 429, 500]) {
      host.answer('/client', (_request, response) => response.writeHead(status, { location: '/' }).end());
      expect((await ask()).status).toBe(400);
    }
    // Nothing is contacted at a host that is not public.
    expect((await ask({ client_id: 'https://10.0.0.1/client' })).status).toBe(400);
    expect(await advertised()).toBe(true);
  });

  it('are advertised in any case with on', async () => {
    const { ask, advertised } = await setUp({ clientDocuments: 'on' });
    const page = await ask();
    expect(page.status).toBe(400);
    expect(page.html).toMatch(
      /client metadata document could not be read: localhost.* refused the connection/,
    );
    expect(page.html).toContain('try again');
    expect(await advertised()).toBe(true);
  });

  it('are neither advertised nor read with off', async () => {
    const { ask, advertised, openHost } = await setUp({ clientDocuments: 'off' });
    const host = await openHost();
    onTestFinished(() => host[Symbol.asyncDispose]());
    expect(await advertised()).toBe(false);
    expect((await ask()).status).toBe(200);
    expect(host.requestedPaths).toEqual([]);
  });

  it.each(['auto', 'off'] as const)(
    'are replaced by their copies for clients with a grant, also after a restart with %s',
    async (clientDocuments) => {
      const { service, client, database, options, wait, openHost } = await setUp();
      const host = await openHost();
      const connected = await service.connect(client);
      expect(connected.status).toBe(200);
      await host[Symbol.asyncDispose]();
      wait(48 * hour);
      await service.close();
      const again = await openTestOauth(database, {
        ...options,
        clientDocuments,
        port: Number(new URL(service.baseUrl).port),
      });
      onTestFinished(() => again.close());
      // Connections to the former server may still be in the pool of this process.
      await expect
        .poll(() =>
          fetch(again.baseUrl).then(
            ({ ok }) => ok,
            () => false,
          ),
        )
        .toBe(true);
      const refreshed = await again.refresh(client, connected.body.refresh_token);
      expect([refreshed.status, refreshed.body.error]).toEqual([200, undefined]);
      expect((await again.connect(client, { who: 'bob' })).status).toBe(200);
      const { url } = again.authorizationUrl({ ...client, redirectUri: elsewhere });
      expect((await again.browser().open(url)).status).toBe(200);
      await database.queries.updateTable('oauth_grants').set({ revoked_at: options.clock() }).execute();
      expect((await again.browser().open(url)).status).toBe(400);
    },
  );

  it('have no copy any more once their host answers without the document', async () => {
    const { service, client, ask, wait, openHost } = await setUp();
    const host = await openHost();
    await service.connect(client);
    wait(25 * hour);
    host.answer('/client', (_request, response) => response.writeHead(404).end());
    expect((await ask()).status).toBe(400);
    await host[Symbol.asyncDispose]();
    expect((await ask({ redirectUri: elsewhere })).status).toBe(400);
  });

  it('are named by doctor with the setting while they are withdrawn', async () => {
    const { database, ask, options } = await setUp();
    const check = (clientDocuments: 'auto' | 'on' | 'off', noProxy = ['localhost']) =>
      clientDocumentsCheck.run({
        database,
        clock: options.clock,
        config: { clientDocuments },
        secrets: { proxies: { https: 'http://bot:hush@10.0.0.8:3128', http: undefined, noProxy } },
      } as unknown as Parameters<typeof clientDocumentsCheck.run>[0]);
    expect(await check('auto')).toMatchObject({ status: 'pass' });
    await ask();
    expect(await check('auto')).toMatchObject({
      status: 'warning',
      message: expect.stringContaining('localhost'),
      hint: expect.stringContaining('OAUTH_CLIENT_DOCUMENTS'),
    });
    expect(await check('on')).toMatchObject({ status: 'warning' });
    expect(await check('off')).toMatchObject({ status: 'pass' });

    // Loopback is called without the proxy of the environment.
    await recordDocumentRead(database.queries, 'https://app.example/client', 'unconnected', options.clock());
    expect((await check('auto', ['.example'])).hint).not.toContain('HTTPS_PROXY');
    const proxied = await check('auto');
    expect(proxied).toMatchObject({
      hint: expect.stringContaining('the proxy of HTTPS_PROXY runs, accepts its credentials'),
      evidence: { proxy: '10.0.0.8:3128' },
    });
    expect(JSON.stringify(proxied)).not.toContain('hush');
  });
});

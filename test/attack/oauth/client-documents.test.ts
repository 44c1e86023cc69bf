import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { isClientIdUrl } from '../../../src/features/oauth/client-documents/client-id-url.ts';
import {
  type ClientDocuments,
  openClientDocuments,
} from '../../../src/features/oauth/client-documents/open-client-documents.ts';
import type { HttpClient } from '../../../src/foundation/net/http.ts';
import { createHttpClient } from '../../../src/foundation/net/http-client.ts';
import type { Lookup, ResolvedAddress } from '../../../src/foundation/net/resolve-public.ts';
import { type DocumentHost, openDocumentHost } from '../../standins/document-host.ts';
import { openTestDatabase, type TestDatabase } from '../../support/database/databases.ts';
import { useCountedListener } from '../../support/http/counted-listener.ts';
import {
  asks,
  loopback as loopbackUris,
  openRegistrationServer,
  type RegistrationServer,
  seen,
} from '../../support/identity/registering.ts';

/**
 * Tests what requests a client id URL can cause (draft-ietf-oauth-client-id-metadata-document-02). A listener on all
 * addresses of this host counts the connections.
 */
const draft = 'Client ID Metadata Document draft';

const literals = [
  '127.0.0.1',
  '127.8.8.8',
  '127.0.0.1.',
  '127.1',
  '2130706433',
  '0x7f000001',
  '0177.0.0.1',
  '0.0.0.0',
  '10.0.0.1',
  '172.16.0.1',
  '192.168.1.1',
  '100.64.0.1',
  '169.254.169.254',
  '168.63.129.16',
  '[::1]',
  '[::]',
  '[::ffff:127.0.0.1]',
  '[::ffff:a9fe:a9fe]',
  '[64:ff9b::127.0.0.1]',
  '[2002:7f00:1::]',
  '[fe80::1]',
  '[fd00:ec2::254]',
  'localhost',
  'LOCALHOST',
  'localhost.',
  'a.localhost',
  'metadata.google.internal',
  'db.local',
  'intranet',
];

const loopback: ResolvedAddress = { address: '127.0.0.1', family: 4 };
/** A public but unrouted address: what a rebinding host returns to the check. */
const decoy: ResolvedAddress = { address: '2c0f:ffff:ffff::1', family: 6 };
const names: Readonly<Record<string, readonly ResolvedAddress[]>> = {
  'private.example.com': [loopback],
  'mixed.example.com': [decoy, loopback],
  'mapped.example.com': [{ address: '::ffff:127.0.0.1', family: 6 }],
  'link-local.example.com': [{ address: 'fe80::1', family: 6 }],
  'metadata.example.com': [{ address: '169.254.169.254', family: 4 }],
  'nothing.example.com': [],
};

const ignore = async () => undefined;

describe(`${draft} 8.6 (SSRF)`, () => {
  const listener = useCountedListener();

  const findWith = async (
    host: string,
    lookup: Lookup,
    allowHosts: readonly string[] = [],
  ): Promise<unknown> => {
    await using stack = new AsyncDisposableStack();
    const http = createHttpClient({ allowHosts, lookup });
    stack.defer(() => http.close());
    const clientId = `https://${host}:${listener.port}/client`;
    if (!isClientIdUrl(clientId)) return 'no client id';
    return await openClientDocuments({ http, clock: Date.now, observe: ignore })
      .find(clientId)
      .catch((error: { error?: string }) => error.error);
  };
  const lookup: Lookup = async (host) => names[host] ?? [loopback];

  it.each([...literals, ...Object.keys(names)])('makes no connection for a client id at %s', async (host) => {
    expect(['no client id', 'invalid_client']).toContain(await findWith(host, lookup));
    expect(listener.connections).toBe(0);
  });

  it('connects to the checked address when a host answers the next look-up differently (DNS rebinding)', async () => {
    let lookups = 0;
    const rebinding: Lookup = async () => {
      lookups += 1;
      return lookups === 1 ? [decoy] : [loopback];
    };
    expect(await findWith('rebind.example.com', rebinding)).toBe('temporarily_unavailable');
    expect({ connections: listener.connections, lookups }).toEqual({ connections: 0, lookups: 1 });
  });

  it('connects if OUTBOUND_ALLOW_HOSTS names the host, so the listener does count', async () => {
    await findWith('127.0.0.1', lookup, ['127.0.0.1']);
    expect(listener.connections).toBeGreaterThan(0);
  });
});

describe('a host of client metadata documents', () => {
  let host: DocumentHost;
  let http: HttpClient;
  let documents: ClientDocuments;
  const good = { client_name: 'Example', redirect_uris: ['http://127.0.0.1/cb'] };
  const json = { 'content-type': 'application/json' };

  beforeAll(async () => {
    host = await openDocumentHost();
    http = createHttpClient({ allowHosts: [host.name] });
  });
  afterAll(async () => {
    await http.close();
    await host[Symbol.asyncDispose]();
  });
  beforeEach(() => {
    documents = openClientDocuments({ http, clock: Date.now, observe: ignore });
  });

  const refusalOf = (path: string): Promise<{ error?: string; error_description?: string }> =>
    documents.find(host.url(path)).then(
      () => ({ error: 'found' }),
      (error: { error?: string; error_description?: string }) => error,
    );
  const bodyOf = (path: string, document: object) =>
    JSON.stringify({ client_id: host.url(path), ...document });

  it.each([301, 302, 303, 307, 308])(
    `${draft} 5: is not followed when it redirects with %i`,
    async (status) => {
      host.serve('/target', good);
      host.answer('/moved', (_request, response) =>
        response.writeHead(status, { location: host.url('/target') }).end(),
      );
      const before = host.requestedPaths.length;
      expect(await refusalOf('/moved')).toMatchObject({ error: 'invalid_client' });
      expect(host.requestedPaths.slice(before)).toEqual(['/moved']);
    },
  );

  it.each([201, 204, 206, 400, 401, 404])(`${draft} 5: has no document with status %i`, async (status) => {
    host.answer('/status', (_request, response) =>
      response.writeHead(status, json).end(status === 204 ? undefined : bodyOf('/status', good)),
    );
    expect(await refusalOf('/status')).toMatchObject({ error: 'invalid_client' });
  });

  it.each(['text/html', 'application/javascript', 'text/json', 'application/jsonp', ''])(
    `${draft} 4: has no document of type "%s"`,
    async (type) => {
      host.answer('/typed', (_request, response) =>
        response.writeHead(200, { 'content-type': type }).end(bodyOf('/typed', good)),
      );
      expect(await refusalOf('/typed')).toMatchObject({ error: 'invalid_client' });
    },
  );

  it(`${draft} 8.7: is read up to 64 KiB`, async () => {
    host.serve('/large', { ...good, padding: 'x'.repeat(64 * 1024) });
    expect(await refusalOf('/large')).toMatchObject({ error: 'invalid_client' });
  });

  it(`${draft} 8.7: is read up to 64 KiB, however small it was sent`, async () => {
    host.answer('/bomb', (_request, response) =>
      response
        .writeHead(200, { ...json, 'content-encoding': 'gzip' })
        .end(gzipSync(bodyOf('/bomb', { ...good, padding: 'x'.repeat(5_000_000) }))),
    );
    expect(await refusalOf('/bomb')).toMatchObject({ error: 'invalid_client' });
  });

  it(`${draft} 8.7: has 5 seconds in total, however slowly it sends`, async () => {
    host.answer('/slow', (_request, response) => {
      response.writeHead(200, json);
      const drip = setInterval(() => response.write(' '), 50);
      response.on('close', () => clearInterval(drip));
    });
    const startedAt = performance.now();
    expect(await refusalOf('/slow')).toMatchObject({ error: 'temporarily_unavailable' });
    expect(performance.now() - startedAt).toBeLessThan(8_000);
  });

  it(`${draft} 4: cannot describe the client of another URL`, async () => {
    host.serve('/victim', good);
    host.serve('/liar', { ...good, client_id: host.url('/victim'), client_name: 'Liar' });
    expect(await refusalOf('/liar')).toMatchObject({ error: 'invalid_client_metadata' });
    expect(await documents.find(host.url('/victim'))).toMatchObject({ client_name: 'Example' });
  });

  it.each([
    ['Basic', { token_endpoint_auth_method: 'client_secret_basic' }],
    ['a secret in the body', { token_endpoint_auth_method: 'client_secret_post' }],
    ['a secret that signs', { token_endpoint_auth_method: 'client_secret_jwt' }],
    ['a secret', { client_secret: 'known to all' }],
  ])(`${draft} 4.1: has no client that authenticates with %s`, async (_what, changes) => {
    host.serve('/secret', { ...good, ...changes });
    expect(await refusalOf('/secret')).toMatchObject({ error: 'invalid_client_metadata' });
  });

  it(`${draft} 8.6: causes no request to URLs in its document`, async () => {
    const more = {
      jwks_uri: host.url('/jwks'),
      logo_uri: host.url('/logo'),
      policy_uri: host.url('/policy'),
    };
    host.serve('/names', { ...good, ...more });
    const before = host.requestedPaths.length;
    expect(Object.keys(await documents.find(host.url('/names')))).not.toContain('logo_uri');
    expect(host.requestedPaths.slice(before)).toEqual(['/names']);
  });

  it(`${draft} 5.2: cannot keep its document cached forever with its headers`, async () => {
    let now = Date.now();
    documents = openClientDocuments({ http, clock: () => now, observe: ignore });
    host.serve('/endless', good, { 'cache-control': 'immutable, max-age=99999999999' });
    await documents.find(host.url('/endless'));
    host.serve('/endless', { ...good, redirect_uris: ['https://new.example/cb'] });
    now += 24 * 3_600_000;
    expect(await documents.find(host.url('/endless'))).toMatchObject({
      redirect_uris: ['https://new.example/cb'],
    });
  });

  it.each(['__proto__', 'constructor', 'toString'])(
    `${draft} 4: cannot be addressed through a property name: %s`,
    async (name) => {
      host.serve(`/${name}`, { ...good, [name]: { client_name: 'polluted' } });
      expect(await documents.find(host.url(`/${name}`))).toMatchObject({ client_name: 'Example' });
      expect(isClientIdUrl(name)).toBe(false);
    },
  );
});

describe(`${draft} 5 (an authorization with a client document)`, () => {
  let host: DocumentHost;
  let database: TestDatabase;
  let server: RegistrationServer;

  beforeEach(async () => {
    database = await openTestDatabase('sqlite');
    onTestFinished(() => database.close());
    host = await openDocumentHost();
    onTestFinished(() => host[Symbol.asyncDispose]());
    server = await openRegistrationServer(database, { allowHosts: [host.name] });
  });
  const document = { client_name: 'Example', redirect_uris: loopbackUris };

  it('is advertised, and a client with a document needs no registration', async () => {
    const metadata = await server.call('/.well-known/oauth-authorization-server');
    expect(metadata.json).toMatchObject({ client_id_metadata_document_supported: true });
    host.serve('/client', document);
    const parameters = { client_id: host.url('/client'), redirect_uri: 'http://127.0.0.1:49152/cb' };
    expect(seen(await server.authorize(parameters))).toEqual(asks);
    expect(
      await database.queries.selectFrom('oauth_objects').where('model', '=', 'Client').selectAll().execute(),
    ).toEqual([]);
  });

  it('stays advertised when a caller names dead hosts, as long as any document was read within 24 hours', async () => {
    let now = Date.now();
    server = await openRegistrationServer(database, { allowHosts: ['localhost'], clock: () => now });
    const advertised = async () =>
      (await server.call('/.well-known/oauth-authorization-server')).json[
        'client_id_metadata_document_supported'
      ];
    const redirect_uri = loopbackUris[0] ?? '';
    // Another host each time, because the last one is not asked again for a while.
    const nameDeadHost = async (port: number) =>
      seen(await server.authorize({ client_id: `https://localhost:${port}/client`, redirect_uri }));
    const refused = { status: 400, location: null };
    host.serve('/client', document);
    expect(seen(await server.authorize({ client_id: host.url('/client'), redirect_uri }))).toEqual(asks);
    for (const port of [1, 2, 3]) expect(await nameDeadHost(port)).toEqual(refused);
    expect(await advertised()).toBe(true);
    now += 24 * 3_600_000 - 1_000;
    expect(await nameDeadHost(4)).toEqual(refused);
    expect(await advertised()).toBe(true);
    now += 1_000;
    expect(await nameDeadHost(5)).toEqual(asks);
    expect(await advertised()).toBe(false);
  });

  it('does not redirect to a redirect URI that the document does not contain', async () => {
    host.serve('/client', document);
    const parameters = { client_id: host.url('/client'), redirect_uri: 'https://evil.example/cb' };
    expect(seen(await server.authorize(parameters))).toEqual({ status: 400, location: null });
  });

  it.each([
    ['contains another URL', { client_id: 'https://claude.ai/oauth/client.json' }],
    ['has a secret', { client_secret: 'x' }],
    ['has a dangerous redirect URI', { redirect_uris: [...loopbackUris, 'javascript:alert(1)'] }],
  ])('does not redirect for a document that %s', async (_what, changes) => {
    host.serve('/bad', { ...document, ...changes });
    const parameters = { client_id: host.url('/bad'), redirect_uri: loopbackUris[0] ?? '' };
    expect(seen(await server.authorize(parameters))).toEqual({ status: 400, location: null });
  });

  it.each(['/client#x', '/a/../client', '/%2e%2e/client'])(
    'does not ask for consent for a client id in another spelling: %s',
    async (path) => {
      host.serve('/client', document);
      const parameters = { client_id: host.url(path), redirect_uri: loopbackUris[0] ?? '' };
      expect(seen(await server.authorize(parameters))).toEqual({ status: 400, location: null });
      expect(host.requestedPaths).toEqual([]);
    },
  );

  it.each(['https://169.254.169.254/latest', 'https://localhost:1/client', 'https://10.0.0.1/client'])(
    'shows an error for a client id in the internal network: %s',
    async (client_id) => {
      const answer = await server.authorize({ client_id, redirect_uri: loopbackUris[0] ?? '' });
      expect(seen(answer)).toEqual({ status: 400, location: null });
    },
  );

  it('returns no token to a client that adds a secret', async () => {
    host.serve('/client', document);
    const form = {
      grant_type: 'authorization_code',
      code: 'x',
      client_id: host.url('/client'),
      client_secret: 'x',
    };
    const { status, json } = await server.call('/.auth/token', {
      method: 'POST',
      body: new URLSearchParams(form),
    });
    expect({ status, error: json['error'] }).toEqual({ status: 401, error: 'invalid_client' });
  });
});

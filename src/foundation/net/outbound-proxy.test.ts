import { createServer as createHttpServer } from 'node:http';
import { createServer, type Server } from 'node:https';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { createCertificateAuthority } from '../../../test/standins/certificate-authority.ts';
import { type ConnectProxy, startConnectProxy } from '../../../test/standins/connect-proxy.ts';
import type { HttpRequest, HttpResponse } from './http.ts';
import { createHttpClient, type HttpClientDeps } from './http-client.ts';
import { RefusedDestination } from './outbound-error.ts';
import { type Lookup, refusePrivate } from './resolve-public.ts';

const authority = createCertificateAuthority();
const trusted = getCACertificates('default');
let api: Server;
let port: number;
let proxy: ConnectProxy;
const seen: (string | undefined)[] = [];

beforeAll(async () => {
  setDefaultCACertificates([...trusted, authority.cert]);
  api = createServer(authority.issue(['api.example.com', 'moved.example.com']), (message, response) => {
    seen.push(message.headers['proxy-authorization']);
    const to = message.url?.startsWith('/to/') ? decodeURIComponent(message.url.slice(4)) : undefined;
    response.writeHead(to === undefined ? 200 : 302, to === undefined ? {} : { location: to }).end('answer');
  });
  await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve));
  port = (api.address() as AddressInfo).port;
});
afterAll(async () => {
  setDefaultCACertificates(trusted);
  api.closeAllConnections();
  await new Promise((resolve) => api.close(resolve));
});

beforeEach(async () => {
  proxy = await startConnectProxy();
  for (const name of ['api.example.com', 'moved.example.com', 'inside.example.com', '10.0.0.7']) {
    proxy.hosts.set(name, port);
  }
});
afterEach(() => proxy[Symbol.asyncDispose]());

/** No name resolves here, as behind a firewall, but for those of private addresses. */
const lookup: Lookup = async (host) => {
  if (host === 'inside.example.com') return [{ address: '10.0.0.7', family: 4 }];
  throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' });
};

const userinfo = 'bot:p%40ss-hush';
const through = (url = proxy.url.replace('//', `//${userinfo}@`), noProxy: string[] = []) => ({
  https: url,
  http: url,
  noProxy,
});

async function request(
  options: Pick<HttpRequest, 'url'> & Partial<HttpRequest>,
  deps: Partial<HttpClientDeps> = {},
): Promise<HttpResponse> {
  const client = createHttpClient({ allowHosts: [], lookup, proxies: through(), ...deps });
  try {
    return await client.request({ destination: 'tenant', timeoutMs: 60_000, ...options });
  } finally {
    await client.close();
  }
}

it('sends a request to a name that does not resolve here through the proxy, with its credentials', async () => {
  proxy.credentials = 'bot:p@ss-hush';
  const { status, body } = await request({ url: 'https://api.example.com/' });
  expect([status, Buffer.from(body).toString()]).toEqual([200, 'answer']);
  expect(proxy.requests).toEqual(['CONNECT api.example.com:443']);
  expect(seen.at(-1)).toBeUndefined();
});

it('verifies the certificate of the host behind the proxy by its name', async () => {
  proxy.hosts.set('other.example.com', port);
  await expect(request({ url: 'https://other.example.com/' })).rejects.toMatchObject({ reason: 'tls' });
});

it('uses a proxy over TLS, and verifies its certificate', async () => {
  await using secure = await startConnectProxy(authority.issue(['localhost']));
  secure.hosts.set('api.example.com', port);
  expect(await request({ url: 'https://api.example.com/' }, { proxies: through(secure.url) })).toMatchObject({
    status: 200,
  });
  await using wrong = await startConnectProxy(authority.issue(['proxy.example']));
  wrong.hosts.set('api.example.com', port);
  await expect(
    request({ url: 'https://api.example.com/' }, { proxies: through(wrong.url) }),
  ).rejects.toMatchObject({
    message: expect.stringMatching(/^The outbound proxy \(HTTPS_PROXY\) cannot be reached/) as string,
  });
  expect(wrong.requests).toEqual([]);
});

it('forwards an http request to a host that the operator named', async () => {
  const plain = createHttpServer((message, response) =>
    response.end(`${message.headers.host}${message.url}`),
  );
  await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve));
  proxy.hosts.set('api.example.com', (plain.address() as AddressInfo).port);
  proxy.credentials = 'bot:p@ss-hush';
  const { body } = await request({ url: 'http://api.example.com/a?b', destination: 'operator' });
  expect(Buffer.from(body).toString()).toBe('api.example.com/a?b');
  expect(proxy.requests).toEqual(['GET http://api.example.com/a?b']);
  plain.closeAllConnections();
  plain.close();
});

it.each(['https://10.0.0.7/', 'https://inside.example.com/', 'https://db.internal/'])(
  'refuses the private host %s from data, and asks the proxy nothing',
  async (url) => {
    await expect(request({ url })).rejects.toThrow(RefusedDestination);
    expect(proxy.requests).toEqual([]);
  },
);

it('checks each redirect', async () => {
  const url = (to: string): string => `https://api.example.com/to/${encodeURIComponent(to)}`;
  expect(await request({ url: url('https://moved.example.com/'), followRedirects: true })).toMatchObject({
    status: 200,
    url: 'https://moved.example.com/',
  });
  proxy.requests.length = 0;
  await expect(request({ url: url('https://inside.example.com/'), followRedirects: true })).rejects.toThrow(
    RefusedDestination,
  );
  expect(proxy.requests).toEqual(['CONNECT api.example.com:443']);
});

it('leaves a name to the proxy if the look-up takes too long', async () => {
  await refusePrivate('api.example.com', () => new Promise(() => undefined));
});

it('connects directly to what NO_PROXY names and to loopback, with the check of addresses', async () => {
  const noProxy = { proxies: through(proxy.url, ['example.com']) };
  await expect(request({ url: 'https://api.example.com/' }, noProxy)).rejects.toMatchObject({
    reason: 'dns',
  });
  await expect(request({ url: 'https://inside.example.com/' }, noProxy)).rejects.toThrow(RefusedDestination);
  await expect(request({ url: `https://localhost:${port}/`, destination: 'operator' })).rejects.toMatchObject(
    { reason: 'tls' },
  );
  expect(proxy.requests).toEqual([]);
});

it.each(['https:', 'http:'])(
  'reports refused credentials for %s by setting, without them',
  async (protocol) => {
    proxy.credentials = 'bot:other';
    const failed = request({ url: `${protocol}//api.example.com/`, destination: 'operator' });
    await expect(failed).rejects.toMatchObject({
      reason: 'unreachable',
      message: expect.stringMatching(
        protocol === 'https:'
          ? /^The outbound proxy \(HTTPS_PROXY\) refused its credentials.*Set user and password in HTTPS_PROXY/
          : /\(HTTP_PROXY\) refused its credentials/,
      ) as string,
    });
    // Only the log has the address of the proxy.
    await expect(failed).rejects.toMatchObject({
      isOfProxy: true,
      detail: { proxy: `localhost:${proxy.port}` },
    });
    await expect(failed).rejects.not.toThrow(String(proxy.port));
    // No host was reached: client documents are withdrawn (`isUnconnected`).
    await expect(failed).rejects.toMatchObject({ isUnconnected: true });
    await expect(failed).rejects.not.toThrow(/hush/);
  },
);

it.each([403, 502])('reports a proxy that refuses a tunnel with %d', async (status) => {
  proxy.behaviour = { kind: 'refuse', status };
  await expect(request({ url: 'https://api.example.com/' })).rejects.toThrow(
    `(HTTPS_PROXY) did not connect to api.example.com: it returned ${status}.`,
  );
});

it('reports a proxy that is not there, that breaks the connection, or that never responds', async () => {
  const closed = createTcpServer();
  await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve));
  const { port: free } = closed.address() as AddressInfo;
  await new Promise((resolve) => closed.close(resolve));
  const proxies = through(`http://${userinfo}@127.0.0.1:${free}`);
  await expect(request({ url: 'https://api.example.com/' }, { proxies })).rejects.toThrow(
    `The outbound proxy (HTTPS_PROXY) cannot be reached (ECONNREFUSED). Check HTTPS_PROXY`,
  );
  proxy.behaviour = { kind: 'reset' };
  await expect(request({ url: 'https://api.example.com/' })).rejects.toThrow(
    '(HTTPS_PROXY) cannot be reached',
  );
  proxy.behaviour = { kind: 'silent' };
  await expect(request({ url: 'https://api.example.com/', timeoutMs: 300 })).rejects.toMatchObject({
    reason: 'timeout',
  });
});

it('streams through the proxy, and reports its errors', async () => {
  const client = createHttpClient({ allowHosts: [], proxies: through() });
  const url = 'https://api.example.com/';
  const stream = () => client.stream({ url, stallMs: 60_000, signal: new AbortController().signal });
  expect((await stream()).status).toBe(200);
  await client.close();
  proxy.behaviour = { kind: 'refuse', status: 407 };
  const other = createHttpClient({ allowHosts: [], proxies: through() });
  await expect(other.stream({ url, stallMs: 60_000, signal: new AbortController().signal })).rejects.toThrow(
    'refused its credentials',
  );
  await other.close();
});

import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { createCertificateAuthority } from '../../../test/standins/certificate-authority.ts';
import { InvalidInput } from '../kernel/errors.ts';
import type { HttpRequest, HttpResponse } from './http.ts';
import { createHttpClient } from './http-client.ts';
import { OutboundError, RefusedDestination } from './outbound-error.ts';

const cleanups: (() => unknown)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

async function portOf(server: Server | ReturnType<typeof createTcpServer>): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanups.push(() => {
    if ('closeAllConnections' in server) server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return (server.address() as AddressInfo).port;
}

type Handler = (message: IncomingMessage, response: ServerResponse) => unknown;

async function listen(handler: Handler): Promise<string> {
  const listener: RequestListener = (message, response) => void handler(message, response);
  return `http://127.0.0.1:${await portOf(createServer(listener))}`;
}

function request(options: HttpRequest, allowHosts: readonly string[] = []): Promise<HttpResponse> {
  const client = createHttpClient({ allowHosts });
  cleanups.push(() => client.close());
  return client.request(options);
}

const get = (url: string, options: Partial<HttpRequest> = {}) =>
  request({ url, destination: 'operator', ...options });

async function bodyOf(message: IncomingMessage): Promise<string> {
  return Buffer.concat(await message.toArray()).toString();
}

const textOf = (response: HttpResponse) => Buffer.from(response.body).toString();

const to =
  (location: string, status = 302) =>
  (_message: IncomingMessage, response: ServerResponse): void =>
    void response.writeHead(status, { location }).end();

describe('an exchange', () => {
  it('sends method, headers and body, and reads status, headers and body', async () => {
    const url = await listen(async (message, response) => {
      response.setHeader('set-cookie', ['a=1', 'b=2']);
      response.statusCode = 418;
      response.end(`${message.method} ${String(message.headers['x-kind'])} ${await bodyOf(message)}`);
    });
    const response = await get(`${url}/path`, {
      method: 'POST',
      headers: { 'X-Kind': 'test' },
      body: 'hello',
    });
    expect(textOf(response)).toBe('POST test hello');
    expect(response).toMatchObject({
      status: 418,
      url: `${url}/path`,
      headers: { 'set-cookie': 'a=1, b=2' },
    });
  });

  it('sends the userinfo of an operator URL as Basic credentials and does not repeat it', async () => {
    const url = await listen((message, response) => response.end(message.headers.authorization));
    const response = await get(url.replace('//', '//user:p%40ss@'));
    expect(textOf(response)).toBe(`Basic ${Buffer.from('user:p@ss').toString('base64')}`);
    expect(response.url).not.toContain('ss@');
  });

  it('refuses a header with a line break without a connection', async () => {
    const url = await listen((_message, response) => response.end());
    await expect(get(url, { headers: { 'x-a': 'b\r\nx-c: d' } })).rejects.toThrow(InvalidInput);
  });

  it.each([
    ['gzip', gzipSync('decoded')],
    ['br', brotliCompressSync('decoded')],
    ['identity', Buffer.from('decoded')],
  ])('decodes %s', async (encoding, bytes) => {
    const url = await listen((_message, response) =>
      response.setHeader('content-encoding', encoding).end(bytes),
    );
    expect(textOf(await get(url))).toBe('decoded');
  });

  it('reads a response without a body that names an encoding', async () => {
    const url = await listen((_message, response) =>
      response.writeHead(304, { 'content-encoding': 'gzip' }).end(),
    );
    expect((await get(url)).body).toHaveLength(0);
  });

  it.each([
    ['compress', Buffer.from('x')],
    ['gzip', Buffer.from('this is not gzip')],
    ['gzip, gzip, gzip, gzip', Buffer.from('x')],
  ])('reports a protocol error for content encoding %s that it cannot decode', async (encoding, bytes) => {
    const url = await listen((_message, response) =>
      response.setHeader('content-encoding', encoding).end(bytes),
    );
    await expect(get(url)).rejects.toMatchObject({ reason: 'protocol', retryable: false });
  });
});

describe('limits', () => {
  it('accepts a body of exactly maxBytes and refuses one byte more, regardless of content-length', async () => {
    const url = await listen((_message, response) => response.end(Buffer.alloc(1000)));
    await expect(get(url, { maxBytes: 1000 })).resolves.toMatchObject({ status: 200 });
    await expect(get(url, { maxBytes: 999 })).rejects.toMatchObject({
      reason: 'too_large',
      retryable: false,
    });
  });

  it('counts bytes after decoding, so a compressed bomb stops early', async () => {
    const bomb = gzipSync(Buffer.alloc(50 * 1024 * 1024));
    const url = await listen((_message, response) =>
      response.setHeader('content-encoding', 'gzip').end(bomb),
    );
    await expect(get(url)).rejects.toMatchObject({ reason: 'too_large' });
  });

  it('stops an endless body at the limit', async () => {
    const url = await listen((_message, response) => {
      const more = () => response.write(Buffer.alloc(64 * 1024));
      response.on('drain', more);
      while (more());
    });
    await expect(get(url, { maxBytes: 100_000 })).rejects.toMatchObject({ reason: 'too_large' });
  });

  it.each([
    ['never responds', () => undefined],
    ['stops in the middle of its body', (response: ServerResponse) => void response.write('part')],
  ])('times out on a server that %s', async (_title, behave) => {
    const url = await listen((_message, response) => behave(response));
    const begin = performance.now();
    await expect(get(url, { timeoutMs: 150 })).rejects.toMatchObject({ reason: 'timeout', retryable: true });
    expect(performance.now() - begin).toBeLessThan(9_500);
  });

  it('times out on a resolver that never responds', async () => {
    const client = createHttpClient({ allowHosts: [], lookup: () => new Promise(() => undefined) });
    cleanups.push(() => client.close());
    const url = 'https://git.example.com/';
    await expect(client.request({ url, destination: 'tenant', timeoutMs: 150 })).rejects.toMatchObject({
      reason: 'timeout',
    });
  });

  it("stops at once when the caller aborts, with the caller's reason", async () => {
    const url = await listen(() => undefined);
    const reason = new Error('no longer wanted');
    const controller = new AbortController();
    setTimeout(() => controller.abort(reason), 50);
    await expect(get(url, { signal: controller.signal })).rejects.toBe(reason);
    await expect(get(url, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });
});

describe('failures', () => {
  it('says whether a connection was established before it failed', async () => {
    const silent = await portOf(createTcpServer((socket) => socket.on('error', () => undefined).resume()));
    const broken = await portOf(createTcpServer((socket) => socket.on('data', () => socket.destroy())));
    const errorOf = (url: string) => get(url, { timeoutMs: 300 }).catch((error: unknown) => error);
    const closed = createTcpServer();
    const closedPort = await portOf(closed);
    await new Promise((resolve) => closed.close(resolve));
    expect(await errorOf(`http://127.0.0.1:${closedPort}`)).toMatchObject({ isUnconnected: true });
    expect(await errorOf(`https://127.0.0.1:${silent}`)).toMatchObject({
      reason: 'timeout',
      isUnconnected: true,
    });
    expect(await errorOf(`http://127.0.0.1:${silent}`)).toMatchObject({
      reason: 'timeout',
      isUnconnected: false,
    });
    expect(await errorOf(`http://127.0.0.1:${broken}`)).toMatchObject({ isUnconnected: false });
  });

  it('reports a refused connection', async () => {
    const port = await portOf(createTcpServer());
    await cleanups.pop()?.();
    await expect(get(`http://127.0.0.1:${port}`)).rejects.toMatchObject({
      reason: 'refused',
      retryable: true,
    });
  });

  it('reports a host name that does not resolve', async () => {
    await expect(get('http://no-such-host.invalid')).rejects.toMatchObject({ reason: 'dns' });
  });

  it('reports a connection that breaks', async () => {
    const port = await portOf(createTcpServer((socket) => socket.destroy()));
    await expect(get(`http://127.0.0.1:${port}`)).rejects.toMatchObject({ reason: 'unreachable' });
  });

  it('reports a peer that does not use HTTP', async () => {
    const port = await portOf(
      createTcpServer((socket) => {
        socket.once('data', () => socket.write('SSH-2.0-OpenSSH\r\n'));
        cleanups.push(() => socket.destroy());
      }),
    );
    await expect(get(`http://127.0.0.1:${port}`)).rejects.toMatchObject({ reason: 'protocol' });
  });

  it('names the host and never the path or query of the URL', async () => {
    const failure = get('http://no-such-host.invalid/hook?key=s3cret');
    await expect(failure).rejects.toThrow(OutboundError);
    await expect(failure).rejects.not.toThrow(/s3cret|hook/);
  });
});

describe('TLS', () => {
  it('is verified even with NODE_TLS_REJECT_UNAUTHORIZED=0, and the hint names the setting', async () => {
    const authority = createCertificateAuthority();
    const server = createTlsServer(authority.issue(['127.0.0.1']), (_message, response) =>
      response.end('read me'),
    );
    const port = await portOf(server);
    const before = process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
    cleanups.push(() => {
      if (before === undefined) delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
      else process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = before;
    });
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
    await expect(get(`https://127.0.0.1:${port}`)).rejects.toMatchObject({
      reason: 'tls',
      hint: expect.stringContaining('NODE_EXTRA_CA_CERTS') as string,
    });
  });

  it('reports a peer that uses plain HTTP', async () => {
    const url = await listen((_message, response) => response.end());
    await expect(get(url.replace('http:', 'https:'))).rejects.toMatchObject({ reason: 'tls' });
  });
});

describe('redirects', () => {
  it('are returned as responses unless the caller follows them', async () => {
    const url = await listen(to('/next'));
    expect(await get(url)).toMatchObject({ status: 302, headers: { location: '/next' } });
  });

  it('are followed within an origin with headers and, for 307, with the body', async () => {
    const url = await listen(async (message, response) => {
      if (message.url === '/') to('/next', 307)(message, response);
      else response.end(`${message.method} ${message.headers.authorization} ${await bodyOf(message)}`);
    });
    const response = await get(`${url}/`, {
      method: 'POST',
      body: 'data',
      headers: { authorization: 'Bearer t' },
      followRedirects: true,
    });
    expect(textOf(response)).toBe('POST Bearer t data');
    expect(response.url).toBe(`${url}/next`);
  });

  it('become GET without a body after 303', async () => {
    const url = await listen(async (message, response) => {
      if (message.url === '/') to('/next', 303)(message, response);
      else response.end(`${message.method} ${message.headers['content-type']} ${await bodyOf(message)}`);
    });
    const options = { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } } as const;
    expect(textOf(await get(`${url}/`, { ...options, followRedirects: true }))).toBe('GET undefined ');
  });

  it('drop credential headers when the origin changes', async () => {
    const seen = await listen((message, response) => response.end(JSON.stringify(message.headers)));
    const first = await listen(to(seen));
    const response = await request(
      {
        url: first,
        destination: 'tenant',
        followRedirects: true,
        headers: { authorization: 'Bearer t', cookie: 'c', 'x-api-key': 'k', accept: 'text/plain' },
      },
      ['127.0.0.1'],
    );
    const headers = JSON.parse(textOf(response)) as Record<string, string>;
    expect(headers).toMatchObject({ accept: 'text/plain' });
    expect(Object.keys(headers)).not.toEqual(expect.arrayContaining(['authorization']));
    expect(headers).not.toHaveProperty('cookie');
    expect(headers).not.toHaveProperty('x-api-key');
  });

  it('do not carry a body to another origin', async () => {
    const seen = await listen((_message, response) => response.end());
    const first = await listen(to(seen, 307));
    const options = {
      url: first,
      destination: 'tenant',
      method: 'POST',
      body: 'x',
      followRedirects: true,
    } as const;
    await expect(request(options, ['127.0.0.1'])).rejects.toThrow(RefusedDestination);
  });

  it("of an operator's URL must not lead to a private host of another origin", async () => {
    let connections = 0;
    const inside = await listen((_message, response) => {
      connections += 1;
      response.end();
    });
    const first = await listen(to(inside));
    await expect(get(first, { followRedirects: true })).rejects.toThrow(RefusedDestination);
    expect(connections).toBe(0);
  });

  it('stop after five', async () => {
    let requests = 0;
    const url = await listen((message, response) => {
      requests += 1;
      to(`/${requests}`)(message, response);
    });
    await expect(get(url, { followRedirects: true })).rejects.toMatchObject({ reason: 'protocol' });
    expect(requests).toBe(6);
  });

  it('from https to http are refused', async () => {
    const { followRedirect } = await import('./redirect.ts');
    const destination = { url: new URL('https://127.0.0.1/'), checked: false };
    const hop = { destination, method: 'GET', headers: {}, body: undefined } as const;
    const rules = { status: 302, start: destination, kind: 'tenant', allowHosts: ['127.0.0.1'] } as const;
    expect(() => followRedirect(hop, 'http://127.0.0.1/', rules)).toThrow(/https to http/);
    expect(followRedirect(hop, '/other', rules).destination.url.href).toBe('https://127.0.0.1/other');
  });
});

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type DocumentHost, openDocumentHost } from '../../../../test/standins/document-host.ts';
import { freePort } from '../../../../test/support/http/free-port.ts';
import type { HttpClient } from '../../../foundation/net/http.ts';
import { createHttpClient } from '../../../foundation/net/http-client.ts';
import { OutboundError } from '../../../foundation/net/outbound-error.ts';
import { type ClientDocuments, openClientDocuments } from './open-client-documents.ts';

const minute = 60_000;
const day = 24 * 60 * minute;
const metadata = { client_name: 'Example', redirect_uris: ['http://127.0.0.1/cb'] };
const hourly = { 'cache-control': 'max-age=3600' };

const ignore = async () => undefined;

describe('client metadata documents', () => {
  let host: DocumentHost;
  let http: HttpClient;
  let documents: ClientDocuments;
  let now: number;

  beforeAll(async () => {
    host = await openDocumentHost();
    http = createHttpClient({ allowHosts: [host.name] });
  });
  afterAll(async () => {
    await http.close();
    await host[Symbol.asyncDispose]();
  });
  beforeEach(() => {
    now = Date.now();
    documents = openClientDocuments({ http, clock: () => now, observe: ignore });
  });

  const find = (path: string) => documents.find(host.url(path));
  const nameOf = async (path: string) => (await find(path)).client_name;
  const requestCount = (path: string) => host.requestedPaths.filter((requested) => requested === path).length;
  const errorOf = (path: string) =>
    find(path).then(
      () => 'found',
      (error: { error?: string }) => error.error,
    );

  it('are found at the URL that is the client id', async () => {
    host.serve('/found', metadata);
    expect(await find('/found')).toMatchObject({ client_id: host.url('/found'), client_name: 'Example' });
  });

  it('are requested again only after the lifetime in their headers', async () => {
    host.serve('/kept', metadata, hourly);
    await find('/kept');
    host.serve('/kept', { ...metadata, client_name: 'New' }, hourly);
    now += 3_600_000 - 1;
    expect(await nameOf('/kept')).toBe('Example');
    now += 1;
    expect(await nameOf('/kept')).toBe('New');
    expect(requestCount('/kept')).toBe(2);
  });

  it('are requested once for concurrent callers', async () => {
    host.serve('/many', metadata);
    await Promise.all(Array.from({ length: 50 }, () => find('/many')));
    expect(requestCount('/many')).toBe(1);
  });

  it('are used for a day while their host is unavailable, with one request a minute', async () => {
    host.serve('/away', metadata, hourly);
    await find('/away');
    host.answer('/away', (_request, response) => response.writeHead(503).end());
    now += day - 1;
    expect([await nameOf('/away'), await nameOf('/away')]).toEqual(['Example', 'Example']);
    expect(requestCount('/away')).toBe(2);
    now += minute;
    expect(await errorOf('/away')).toBe('temporarily_unavailable');
  });

  it('are dropped immediately when their host returns 404', async () => {
    host.serve('/gone', metadata, hourly);
    await find('/gone');
    host.answer('/gone', (_request, response) => response.writeHead(404).end());
    now += 3_600_000;
    expect(await errorOf('/gone')).toBe('invalid_client');
    host.answer('/gone', (_request, response) => response.writeHead(503).end());
    expect(await errorOf('/gone')).toBe('temporarily_unavailable');
  });

  it('are requested again after they were refused', async () => {
    host.serve('/repaired', { ...metadata, redirect_uris: ['javascript:alert(1)'] }, hourly);
    expect(await errorOf('/repaired')).toBe('invalid_redirect_uri');
    host.serve('/repaired', metadata);
    expect(await nameOf('/repaired')).toBe('Example');
  });

  it('are cached up to 500, and the least recently used is evicted', async () => {
    host.serve('/in-use', metadata, hourly);
    await find('/in-use');
    for (let n = 0; n < 500; n += 1) {
      host.serve(`/made-up/${n}`, metadata, hourly);
      await find(`/made-up/${n}`);
      if (n % 100 === 0) await find('/in-use');
    }
    await Promise.all([find('/in-use'), find('/made-up/499'), find('/made-up/0')]);
    expect([requestCount('/in-use'), requestCount('/made-up/499'), requestCount('/made-up/0')]).toEqual([
      1, 1, 2,
    ]);
  });
});

describe('documents of hosts that do not respond', () => {
  /** Reads documents from hosts that do not respond until `timeOut` is called. */
  function unresponsiveHosts() {
    const requested: string[] = [];
    let timeOut = (): void => undefined;
    const waiting = new Promise<never>((_, reject) => {
      timeOut = () => reject(new OutboundError('a host', 'timeout', 'no answer in time'));
    });
    waiting.catch(() => undefined);
    const request: HttpClient['request'] = ({ url }) => {
      requested.push(url);
      return waiting;
    };
    let now = 0;
    const http = { request } as unknown as HttpClient;
    const documents = openClientDocuments({ http, clock: () => now, observe: ignore });
    const find = (host: string, path: string, sender?: string) =>
      documents.find(`https://${host}.example/${path}`, sender).then(
        () => 'found',
        (error: { error_description?: string }) => String(error.error_description),
      );
    return { requested, find, timeOut: () => timeOut(), wait: (ms: number) => void (now += ms) };
  }

  const tooMany = expect.stringContaining('too many client metadata documents');

  it('are read with a concurrency of 32; further requests are refused', async () => {
    const { requested, find } = unresponsiveHosts();
    for (let n = 0; n < 32; n += 1) void find(`host-${n}`, 'client.json');
    expect(await find('host-32', 'client.json')).toEqual(tooMany);
    expect(requested).toHaveLength(32);
  });

  it('are read with a concurrency of 4 per sender without blocking other senders', async () => {
    const { requested, find } = unresponsiveHosts();
    for (let n = 0; n < 4; n += 1) void find(`host-${n}`, 'client.json', `2001:db8:1:1::${n}`);
    expect(await find('host-4', 'client.json', '2001:db8:1:1::9')).toEqual(tooMany);
    void find('host-4', 'client.json', '203.0.113.1');
    expect(requested).toHaveLength(5);
  });

  it('are read with a concurrency of 16 per /48', async () => {
    const { requested, find } = unresponsiveHosts();
    for (let n = 0; n < 16; n += 1) void find(`host-${n}`, 'client.json', `2001:db8:1:${n}00::1`);
    expect(await find('host-16', 'client.json', '2001:db8:1:ff00::1')).toEqual(tooMany);
    expect(requested).toHaveLength(16);
  });

  it('are read with a concurrency of 2 per host', async () => {
    const { requested, find } = unresponsiveHosts();
    void find('host', '1');
    void find('host', '2');
    expect(await find('host', '3')).toEqual(tooMany);
    void find('other', '1');
    expect(requested).toHaveLength(3);
  });

  it('release their slots, and a host that timed out has a back-off of 30 seconds', async () => {
    const { requested, find, timeOut, wait } = unresponsiveHosts();
    const found = [find('host', '1', '203.0.113.1'), find('host', '2', '203.0.113.1')];
    timeOut();
    await Promise.all(found);
    expect(await find('host', '3', '203.0.113.1')).toContain('could not be reached recently');
    wait(30_000);
    expect(await find('host', '3', '203.0.113.1')).toContain('could not be read');
    expect(requested).toHaveLength(3);
  });

  it('are not requested again for 30 seconds after no connection was established', async () => {
    await using stack = new AsyncDisposableStack();
    const http = createHttpClient({ allowHosts: ['localhost'] });
    stack.defer(() => http.close());
    let now = 0;
    const outcomes: string[] = [];
    const documents = openClientDocuments({
      http,
      clock: () => now,
      observe: async (_id, outcome, cause) => void outcomes.push(`${outcome}: ${cause?.message}`),
    });
    const url = `https://localhost:${await freePort()}/client`;
    const find = () => documents.find(url).catch(String);
    await find();
    await find();
    expect(outcomes).toEqual([expect.stringMatching(/^unconnected: localhost:\d+ refused the connection/)]);
    now += 30_000;
    await find();
    expect(outcomes).toHaveLength(2);
  });
});

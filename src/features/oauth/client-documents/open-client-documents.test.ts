import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type DocumentHost, openDocumentHost } from '../../../../test/standins/document-host.ts';
import type { HttpClient } from '../../../foundation/net/http.ts';
import { createHttpClient } from '../../../foundation/net/http-client.ts';
import { type ClientDocuments, openClientDocuments } from './open-client-documents.ts';

const minute = 60_000;
const day = 24 * 60 * minute;
const described = { client_name: 'Example', redirect_uris: ['http://127.0.0.1/cb'] };
const hourly = { 'cache-control': 'max-age=3600' };

describe('clients that describe themselves', () => {
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
    documents = openClientDocuments({ http, clock: () => now });
  });

  const find = (path: string) => documents.find(host.url(path));
  const nameOf = async (path: string) => (await find(path)).client_name;
  const timesAsked = (path: string) => host.asked.filter((asked) => asked === path).length;
  const faultOf = (path: string) =>
    find(path).then(
      () => 'found',
      (error: { error?: string }) => error.error,
    );

  it('are found at the URL that is their id', async () => {
    host.serve('/found', described);
    expect(await find('/found')).toMatchObject({ client_id: host.url('/found'), client_name: 'Example' });
  });

  it('are asked once for as long as their headers say, and then anew', async () => {
    host.serve('/kept', described, hourly);
    await find('/kept');
    host.serve('/kept', { ...described, client_name: 'New' }, hourly);
    now += 3_600_000 - 1;
    expect(await nameOf('/kept')).toBe('Example');
    now += 1;
    expect(await nameOf('/kept')).toBe('New');
    expect(timesAsked('/kept')).toBe(2);
  });

  it('are asked once by all who want them at the same time', async () => {
    host.serve('/many', described);
    await Promise.all(Array.from({ length: 50 }, () => find('/many')));
    expect(timesAsked('/many')).toBe(1);
  });

  it('are read 32 at a time: more are asked to come back', async () => {
    const waiting: (() => void)[] = [];
    const arrived = new Promise<void>((resolve) => {
      for (let n = 0; n < 33; n += 1) {
        host.answer(`/slow/${n}`, (_request, response) => {
          waiting.push(() => response.writeHead(404).end());
          if (waiting.length === 32) resolve();
        });
      }
    });
    const found = Array.from({ length: 33 }, (_, n) => faultOf(`/slow/${n}`));
    expect(await found[32]).toBe('temporarily_unavailable');
    await arrived;
    for (const end of waiting) end();
    expect(new Set(await Promise.all(found.slice(0, 32)))).toEqual(new Set(['invalid_client']));
  });

  it('stand in for a day while their host is away, and are looked for every minute', async () => {
    host.serve('/away', described, hourly);
    await find('/away');
    host.answer('/away', (_request, response) => response.writeHead(503).end());
    now += day - 1;
    expect([await nameOf('/away'), await nameOf('/away')]).toEqual(['Example', 'Example']);
    expect(timesAsked('/away')).toBe(2);
    now += minute;
    expect(await faultOf('/away')).toBe('temporarily_unavailable');
  });

  it('are gone at once when their host says so', async () => {
    host.serve('/gone', described, hourly);
    await find('/gone');
    host.answer('/gone', (_request, response) => response.writeHead(404).end());
    now += 3_600_000;
    expect(await faultOf('/gone')).toBe('invalid_client');
    host.answer('/gone', (_request, response) => response.writeHead(503).end());
    expect(await faultOf('/gone')).toBe('temporarily_unavailable');
  });

  it('that were refused are looked at again the next time', async () => {
    host.serve('/mended', { ...described, redirect_uris: ['javascript:alert(1)'] }, hourly);
    expect(await faultOf('/mended')).toBe('invalid_redirect_uri');
    host.serve('/mended', described);
    expect(await nameOf('/mended')).toBe('Example');
  });

  it('are kept 500 at most, and those in use are not pushed out', async () => {
    host.serve('/in-use', described, hourly);
    await find('/in-use');
    for (let n = 0; n < 500; n += 1) {
      host.serve(`/made-up/${n}`, described, hourly);
      await find(`/made-up/${n}`);
      if (n % 100 === 0) await find('/in-use');
    }
    await Promise.all([find('/in-use'), find('/made-up/499'), find('/made-up/0')]);
    expect([timesAsked('/in-use'), timesAsked('/made-up/499'), timesAsked('/made-up/0')]).toEqual([1, 1, 2]);
  });
});

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type DocumentHost, openDocumentHost } from '../../../../test/standins/document-host.ts';
import type { HttpClient } from '../../../foundation/net/http.ts';
import { createHttpClient } from '../../../foundation/net/http-client.ts';
import { OutboundError } from '../../../foundation/net/outbound-error.ts';
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

describe('documents of hosts that say nothing', () => {
  /** A client of hosts that keep everybody waiting until they are told to give up. */
  function silentHosts() {
    const asked: string[] = [];
    let giveUp = (): void => undefined;
    const waiting = new Promise<never>((_, reject) => {
      giveUp = () => reject(new OutboundError('a host', 'timeout', 'no answer in time'));
    });
    waiting.catch(() => undefined);
    const request: HttpClient['request'] = ({ url }) => {
      asked.push(url);
      return waiting;
    };
    let now = 0;
    const http = { request } as unknown as HttpClient;
    const documents = openClientDocuments({ http, clock: () => now });
    const find = (host: string, path: string, sender?: string) =>
      documents.find(`https://${host}.example/${path}`, sender).then(
        () => 'found',
        (error: { error_description?: string }) => String(error.error_description),
      );
    return { asked, find, giveUp: () => giveUp(), wait: (ms: number) => void (now += ms) };
  }

  const tooMany = expect.stringContaining('too many client metadata documents');

  it('are read 32 at a time: more are asked to come back', async () => {
    const { asked, find } = silentHosts();
    for (let n = 0; n < 32; n += 1) void find(`host-${n}`, 'client.json');
    expect(await find('host-32', 'client.json')).toEqual(tooMany);
    expect(asked).toHaveLength(32);
  });

  it('are read 4 at a time for one sender, who keeps nobody else waiting', async () => {
    const { asked, find } = silentHosts();
    for (let n = 0; n < 4; n += 1) void find(`host-${n}`, 'client.json', `2001:db8:1:1::${n}`);
    expect(await find('host-4', 'client.json', '2001:db8:1:1::9')).toEqual(tooMany);
    void find('host-4', 'client.json', '203.0.113.1');
    expect(asked).toHaveLength(5);
  });

  it('are read 16 at a time for all of a /48', async () => {
    const { asked, find } = silentHosts();
    for (let n = 0; n < 16; n += 1) void find(`host-${n}`, 'client.json', `2001:db8:1:${n}00::1`);
    expect(await find('host-16', 'client.json', '2001:db8:1:ff00::1')).toEqual(tooMany);
    expect(asked).toHaveLength(16);
  });

  it('are read 2 at a time of one host', async () => {
    const { asked, find } = silentHosts();
    void find('host', '1');
    void find('host', '2');
    expect(await find('host', '3')).toEqual(tooMany);
    void find('other', '1');
    expect(asked).toHaveLength(3);
  });

  it('give their room back, and leave a host alone for half a minute that let us wait', async () => {
    const { asked, find, giveUp, wait } = silentHosts();
    const found = [find('host', '1', '203.0.113.1'), find('host', '2', '203.0.113.1')];
    giveUp();
    await Promise.all(found);
    expect(await find('host', '3', '203.0.113.1')).toContain('did not answer in time just now');
    wait(30_000);
    expect(await find('host', '3', '203.0.113.1')).toContain('could not be read');
    expect(asked).toHaveLength(3);
  });
});

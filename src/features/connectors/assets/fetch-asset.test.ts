import { createServer, type IncomingHttpHeaders } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTracker, type Tracker } from '../../../../test/standins/tracker/tracker.ts';
import type { UploadBehaviour } from '../../../../test/standins/tracker/uploads.ts';
import type { HttpClient, HttpRequest } from '../../../foundation/net/http.ts';
import { createHttpClient } from '../../../foundation/net/http-client.ts';
import { type FetchedAsset, fetchAsset, type UploadsAccess } from './fetch-asset.ts';

const { signal } = new AbortController();
const maxBytes = 256 * 1024;

describe('an asset', () => {
  let tracker: Tracker;
  let token: string;
  let uploads: UploadsAccess;
  /** Another host that serves files. */
  let elsewhere: string;
  let received: IncomingHttpHeaders[] = [];
  const server = createServer((message, response) => {
    received.push(message.headers);
    response.end('elsewhere');
  });
  const opened: HttpClient[] = [];

  beforeAll(async () => {
    tracker = await startTracker();
    token = tracker.oauth.issue(tracker.addApp('https://orgctx.example/callback')).accessToken;
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    elsewhere = `127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  });
  afterAll(async () => {
    await Promise.all(opened.map((client) => client.close()));
    await tracker.close();
    server.close();
  });
  beforeEach(() => {
    received = [];
    tracker.uploads.requests.length = 0;
    uploads = { origin: tracker.settings.TRACKER_UPLOADS_URL, accessToken: () => Promise.resolve(token) };
  });

  function fetchWith(url: string, allowHosts: readonly string[] = []): Promise<FetchedAsset> {
    const http = createHttpClient({ allowHosts });
    opened.push(http);
    return fetchAsset(http, uploads, { url, maxBytes, signal });
  }
  function fetchUpload(
    behaviour: UploadBehaviour,
    allowHosts: readonly string[] = [],
  ): Promise<FetchedAsset> {
    const upload = tracker.uploads.add('shot.png', 'content');
    upload.behaviour = behaviour;
    return fetchWith(upload.url, allowHosts);
  }

  it.each(['file', 'chunked'] as const)(
    'of the provider is fetched with the token (%s)',
    async (behaviour) => {
      expect(await fetchUpload(behaviour)).toEqual({ content: Buffer.from('content') });
      expect(tracker.uploads.requests).toMatchObject([{ authorization: `Bearer ${token}` }]);
    },
  );

  it('is fetched with a new token if the first one is refused, and no more than that', async () => {
    const refused: (string | undefined)[] = [];
    uploads = {
      ...uploads,
      accessToken: (_, former) => {
        refused.push(former);
        return Promise.resolve(former === undefined ? 'expired' : token);
      },
    };
    expect(await fetchUpload('file')).toEqual({ content: Buffer.from('content') });
    expect(refused).toEqual([undefined, 'expired']);
    uploads = { ...uploads, accessToken: () => Promise.resolve('expired') };
    expect(await fetchUpload('file')).toEqual({ refusal: 'its host answered with HTTP 401' });
  });

  /**
   * Sends requests to a public name to the other host on loopback, which the client itself refuses for such requests.
   */
  function reaching(http: HttpClient): Pick<HttpClient, 'request'> {
    return {
      request: (request) =>
        request.url.startsWith('https://files.example')
          ? http.request({
              ...request,
              url: request.url.replace('https://files.example', `http://${elsewhere}`),
              destination: 'operator',
            })
          : http.request(request),
    };
  }

  it('of another host, or behind a redirect, is fetched without the token', async () => {
    const content = Buffer.from('elsewhere');
    const http = createHttpClient({ allowHosts: [] });
    opened.push(http);
    const url = 'https://files.example/a.png';
    expect(await fetchAsset(reaching(http), uploads, { url, maxBytes, signal })).toEqual({ content });
    expect(await fetchUpload({ redirectTo: `http://${elsewhere}/a.png` }, [elsewhere])).toEqual({ content });
    expect(received.map(({ authorization, cookie }) => [authorization, cookie])).toEqual([
      [undefined, undefined],
      [undefined, undefined],
    ]);
  });

  it.each([
    'http://127.0.0.1:1/',
    'https://localhost/',
    'https://169.254.169.254/latest/meta-data',
    'https://[::ffff:127.0.0.1]/',
    'file:///etc/passwd',
  ])('is refused if it lies, or redirects, where only this network leads: %s', async (url) => {
    const refusal = { refusal: 'its address is not public, or not https' };
    expect(await fetchWith(url)).toEqual(refusal);
    expect(await fetchUpload({ redirectTo: url })).toEqual(refusal);
  });

  it('of another host is fetched there if the operator allows the host, without the token', async () => {
    const content = Buffer.from('elsewhere');
    expect(await fetchWith(`http://${elsewhere}/a.png`, [elsewhere])).toEqual({ content });
    expect(received.map(({ authorization }) => authorization)).toEqual([undefined]);
  });

  it('does not follow a redirect loop with the token', async () => {
    expect(await fetchUpload('redirect loop', [new URL(uploads.origin).host])).toEqual({
      refusal: 'its host answered with HTTP 401',
    });
    expect(tracker.uploads.requests.map(({ authorization }) => authorization !== undefined)).toEqual([
      true,
      false,
    ]);
  });

  it.each(['endless', 'gzip bomb'] as const)('is refused when it is too large (%s)', async (behaviour) => {
    expect(await fetchUpload(behaviour)).toEqual({
      refusal: 'it is larger than 256 KiB, which is what is left for it',
    });
  });

  it.each([403, 404, 410])('is refused after status %i', async (status) => {
    expect(await fetchUpload({ status })).toEqual({ refusal: `its host answered with HTTP ${status}` });
  });

  it.each(['reset', 'long content-length', { status: 429 }, { status: 503 }] as const)(
    'is tried again after a failure that passes: %j',
    async (behaviour) => {
      await expect(fetchUpload(behaviour)).rejects.toThrow();
    },
  );

  it('gets the token only if its whole origin is that of the uploads', async () => {
    const requests: HttpRequest[] = [];
    const http = {
      request: (request: HttpRequest) => {
        requests.push(request);
        return Promise.resolve({ status: 200, headers: {}, body: Buffer.alloc(0), url: request.url });
      },
    };
    uploads = { ...uploads, origin: 'https://uploads.example' };
    const urls = [
      'https://uploads.example.evil.example/a',
      'https://uploads.example@evil.example/a',
      'https://uploads.example:8443/a',
      'http://uploads.example/a',
      'https://evil.example/https://uploads.example/a',
      'https://x.uploads.example/a',
      'https://uploads.example/a',
    ];
    for (const url of urls) await fetchAsset(http, uploads, { url, maxBytes, signal });
    const trusted = requests.filter(({ headers, destination }) => {
      expect(destination === 'operator').toBe(headers?.['authorization'] !== undefined);
      return destination === 'operator';
    });
    expect(trusted.map(({ url }) => url)).toEqual(['https://uploads.example/a']);
  });
});

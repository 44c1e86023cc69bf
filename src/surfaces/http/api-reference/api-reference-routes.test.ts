import type * as Zlib from 'node:zlib';
import { gunzip } from 'node:zlib';
import { describe, expect, it, vi } from 'vitest';
import { useTestHttp } from '../../../../test/support/http/http-server.ts';

vi.mock('node:zlib', async (original) => {
  const zlib = await original<typeof Zlib>();
  return { ...zlib, gunzip: vi.fn(zlib.gunzip) };
});

describe('the API reference', async () => {
  const { server } = await useTestHttp();
  const path = '/.docs/api-reference';

  it('needs no sign-in, and allows only scripts and requests of this origin', async () => {
    const { statusCode, headers, body } = await server.inject(path);
    expect([statusCode, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(headers['content-security-policy']).toMatch(/script-src 'self'; .*connect-src 'self'/);
    expect(body).not.toMatch(/<script(?! src="\/)|https?:/);
  });

  it('serves its script packed or not, and once for each version', async () => {
    const url = `${path}/scalar.js`;
    const plain = await server.inject(url);
    const packed = await server.inject({ url, headers: { 'accept-encoding': 'gzip' } });
    expect([plain.statusCode, packed.headers['content-encoding']]).toEqual([200, 'gzip']);
    expect(plain.rawPayload.length).toBeGreaterThan(2 * packed.rawPayload.length);
    await Promise.all(Array.from({ length: 5 }, () => server.inject(url)));
    expect(gunzip).toHaveBeenCalledOnce();
    const again = await server.inject({ url, headers: { 'if-none-match': String(plain.headers.etag) } });
    expect([again.statusCode, again.body]).toEqual([304, '']);
  });
});

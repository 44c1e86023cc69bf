import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import type { HttpStreamRequest } from './http.ts';
import { createHttpClient } from './http-client.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

async function listen(
  handler: (request: IncomingMessage, response: ServerResponse) => unknown,
): Promise<string> {
  const server = createServer((request, response) => void handler(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanups.push(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

function stream(url: string, more: Partial<HttpStreamRequest> = {}) {
  const client = createHttpClient({ allowHosts: [] });
  cleanups.push(() => client.close());
  return client.stream({ url, stallMs: 5_000, signal: new AbortController().signal, ...more });
}

const next = async (body: AsyncIterable<Uint8Array>): Promise<string> => {
  for await (const chunk of body) return Buffer.from(chunk).toString();
  return '';
};

describe('a streamed exchange', () => {
  it('streams the request body and returns the response before its body is complete', async () => {
    const url = await listen(async (request, response) => {
      response.writeHead(201, { 'x-length': String((await buffer(request)).length) });
      response.write('first');
    });
    const pieces = async function* () {
      for (let piece = 0; piece < 50; piece++) yield Buffer.alloc(10_000);
    };
    const response = await stream(url, { method: 'POST', body: pieces() });
    expect(response).toMatchObject({ status: 201, headers: { 'x-length': '500000' } });
    expect(await next(response.body)).toBe('first');
  });

  it('closes the connection when its reader stops', async () => {
    const gone = Promise.withResolvers<void>();
    const url = await listen((_request, response) => {
      response.once('close', () => gone.resolve());
      response.write('one');
    });
    expect(await next((await stream(url)).body)).toBe('one');
    await gone.promise;
  });

  it('ends with the reason of its signal, before and during the response', async () => {
    const url = await listen((_request, response) => void response.write('one'));
    await expect(stream(url, { signal: AbortSignal.abort(new Error('before')) })).rejects.toThrow('before');
    const leaving = new AbortController();
    const { body } = await stream(url, { signal: leaving.signal });
    leaving.abort(new Error('while'));
    await expect(buffer(body)).rejects.toThrow('while');
  });

  it('reports a refused connection, a stalled response and a broken one', async () => {
    await expect(stream('http://127.0.0.1:1/')).rejects.toMatchObject({ reason: 'refused' });
    const silent = await listen(() => undefined);
    await expect(stream(silent, { stallMs: 100 })).rejects.toMatchObject({ reason: 'timeout' });
    const half = await listen((_request, response) => {
      response.writeHead(200, { 'content-length': '10' }).write('half');
      setTimeout(() => response.destroy(), 50);
    });
    const { body } = await stream(half);
    await expect(buffer(body)).rejects.toMatchObject({ reason: 'unreachable' });
  });

  it('fails with the error of its own body', async () => {
    const url = await listen((request) => void request.resume());
    const failing = async function* () {
      yield Buffer.from('x');
      throw new RangeError('no more');
    };
    await expect(stream(url, { method: 'POST', body: failing() })).rejects.toMatchObject({
      cause: expect.objectContaining({ message: 'no more' }),
    });
  });
});

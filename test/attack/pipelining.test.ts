import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyPluginAsync } from 'fastify';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openTestDatabase } from '../support/database/databases.ts';
import { openTestHttp, type TestHttp } from '../support/http/http-server.ts';

const status = 'GET /.status HTTP/1.1\r\nHost: a\r\n\r\n';
const withoutHost = 'GET /.status HTTP/1.1\r\n\r\n';
const expecting = 'GET /.status HTTP/1.1\r\nHost: a\r\nExpect: x\r\n\r\n';
const continuing = 'GET /.status HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n\r\n';
const held = 'GET /.held HTTP/1.1\r\nHost: a\r\n\r\n';

describe('requests pipelined on one connection', () => {
  let http: TestHttp;
  let release: () => void;
  /** The requests that reached their route. */
  let started: number;

  beforeAll(async () => {
    const database = await openTestDatabase('sqlite');
    const draining = (): boolean => {
      started += 1;
      return false;
    };
    const holding: FastifyPluginAsync = async (scope) =>
      void scope.get('/.held', () => {
        started += 1;
        return new Promise<string>((resolve) => {
          release = () => resolve('released');
        });
      });
    http = await openTestHttp(database, {
      status: { draining },
      plugins: [{ name: 'held', plugin: holding }],
    });
    await http.server.listen({ host: '127.0.0.1', port: 0 });
    return async () => {
      http.server.server.closeAllConnections();
      await http.server.close();
      await database.close();
    };
  });
  beforeEach(() => {
    started = 0;
  });

  async function opened(): Promise<Socket> {
    const socket = connect((http.server.server.address() as AddressInfo).port, '127.0.0.1');
    await once(socket, 'connect');
    return socket;
  }

  const pathsSince = (count: number): unknown[] =>
    http.logged.slice(count).flatMap((line) => (JSON.parse(line) as { readonly path?: string }).path ?? []);

  it('are answered one after the other, in their order', async () => {
    const socket = await opened();
    for (let round = 0; round < 3; round += 1) {
      socket.write(`${status}GET /none HTTP/1.1\r\nHost: a\r\n\r\n${status}`);
      let received = '';
      while (received.split('"version"').length < 3) received += String((await once(socket, 'data'))[0]);
      expect(received.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 404', 'HTTP/1.1 200']);
    }
    socket.destroy();
  });

  it('let a request on another connection pass', async () => {
    const [attacker, other] = [await opened(), await opened()];
    const logged = http.logged.length;
    attacker.write(status.repeat(30));
    other.write('GET /.well-known/oauth-protected-resource HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    await text(other);
    await expect.poll(() => started).toBe(30);
    const at = pathsSince(logged).indexOf('/.well-known/oauth-protected-resource');
    expect(at).toBeGreaterThanOrEqual(0);
    expect(at).toBeLessThan(10);
    attacker.destroy();
  });

  it.each([
    ['without Host', withoutHost, ['400']],
    ['with an unknown expectation', expecting, ['417']],
    [
      'with Expect: 100-continue',
      continuing,
      [...Array.from({ length: 33 }, () => ['100', '200']).flat(), '503'],
    ],
  ])('%s are counted like all others', async (_name, request, statuses) => {
    const socket = await opened();
    socket.write(request.repeat(1_000));
    const received = await text(socket);
    expect([...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, code]) => code)).toEqual(statuses);
    if (statuses.length > 1) return;
    expect(received).toMatch(
      /application\/problem\+json[^]*connection: close[^]*"code":"validation_failed"/i,
    );
    expect(started).toBe(0);
  });

  it('of HTTP/1.0 need no Host, and may expect anything', async () => {
    const socket = await opened();
    socket.write('GET /.status HTTP/1.0\r\nExpect: x\r\n\r\n');
    expect(await text(socket)).toMatch(/^HTTP\/1.1 200/);
  });

  it('are refused above a maximum, and their connection is closed', async () => {
    const socket = await opened();
    socket.write(status.repeat(2_000));
    const received = await text(socket);
    expect(received.match(/HTTP\/1\.1 200/g)).toHaveLength(33);
    expect(received.match(/HTTP\/1\.1 503[^]*/)?.[0]).toMatch(/connection: close[^]*"code":"overloaded"/i);
    expect(started).toBe(33);
  });

  it.each([
    ['requests', status],
    ['requests without Host', withoutHost],
    ['unknown expectations', expecting],
  ])(
    'are dropped with a client that sends %s without end while its first one is answered',
    async (_name, request) => {
      const socket = await opened();
      socket.write(held);
      socket.on('error', () => undefined);
      for (let sent = 0; sent < 100 && !socket.destroyed; sent += 1) {
        socket.write(request.repeat(100));
        await sleep(1);
      }
      await expect.poll(() => socket.destroyed).toBe(true);
      expect(started).toBe(1);
    },
  );

  it('do not start after their client disconnected', async () => {
    const socket = await opened();
    socket.write(`${held}${status.repeat(5)}`);
    await expect.poll(() => started).toBe(1);
    socket.destroy();
    await once(socket, 'close');
    release();
    await sleep(50);
    expect(started).toBe(1);
  });
});

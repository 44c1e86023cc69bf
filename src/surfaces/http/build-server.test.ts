import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestDatabase } from '../../../test/support/database/databases.ts';
import { openTestHttp } from '../../../test/support/http/http-server.ts';
import type { Database } from '../../foundation/db/database.ts';
import { describeRoutes } from './route-table.ts';

describe('buildHttpServer', () => {
  let database: Database;

  beforeAll(async () => {
    database = await openTestDatabase('sqlite');
  });
  afterAll(() => database.close());

  it('registers further surfaces behind its own checks', async () => {
    const http = await openTestHttp(database, {
      plugins: [{ name: 'echo', plugin: async (server) => void server.get('/echo', async () => 'hello') }],
    });
    expect(describeRoutes(http.server)).toContainEqual(
      expect.objectContaining({ method: 'GET', path: '/echo' }),
    );
    const answer = await http.server.inject('/echo');
    expect([answer.body, answer.headers['x-content-type-options']]).toEqual(['hello', 'nosniff']);
    expect((await http.server.inject('/echo?access_token=x')).statusCode).toBe(400);
  });

  it('finishes requests in flight when it closes, without waiting for idle connections', async () => {
    const arrived = Promise.withResolvers<void>();
    const { server } = await openTestHttp(database, {
      plugins: [
        {
          name: 'slow',
          plugin: async (instance) => {
            instance.get('/slow', async () => {
              arrived.resolve();
              await delay(100);
              return 'finished';
            });
          },
        },
      ],
    });
    await server.listen({ host: '127.0.0.1', port: 0 });
    const socket = connect((server.server.address() as AddressInfo).port, '127.0.0.1');
    const answer = text(socket);
    socket.write('GET /slow HTTP/1.1\r\nHost: a\r\nConnection: keep-alive\r\n\r\n');
    await arrived.promise;
    await server.close();
    expect(await answer).toMatch(
      /^HTTP\/1\.1 200 OK\r\n(?:.*\r\n)*connection: close\r\n(?:.*\r\n)*\r\nfinished$/,
    );
  });

  it('limits the time for receiving a request', async () => {
    const { server } = await openTestHttp(database);
    expect(server.server.headersTimeout).toBe(15_000);
    expect(server.server.requestTimeout).toBe(30_000);
  });
});

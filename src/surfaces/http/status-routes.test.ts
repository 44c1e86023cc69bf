import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeEachDatabase, openTestDatabase } from '../../../test/support/database/databases.ts';
import { openTestHttp } from '../../../test/support/http/http-server.ts';
import type { Database } from '../../foundation/db/database.ts';

describeEachDatabase('/.status', (open) => {
  let database: Database;

  beforeAll(async () => {
    database = await open();
  });

  it('returns ok, the time and the version, without authentication', async () => {
    const { server } = await openTestHttp(database);
    const before = Date.now();
    const answer = await server.inject('/.status');
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['cache-control']).toBe('no-store');
    const body = answer.json<{ status: string; timestamp: string; version: string }>();
    expect(body).toEqual({ status: 'ok', timestamp: expect.any(String), version: '1.2.3' });
    expect(Date.parse(body.timestamp)).toBeGreaterThanOrEqual(before);
    expect((await server.inject({ method: 'HEAD', url: '/.status' })).statusCode).toBe(200);
  });
});

describe('/.status of a service that stood still', () => {
  it('says so afterwards', async () => {
    const database = await openTestDatabase('sqlite');
    const stalls = () => ({ count: 2, longestMs: 12_000, lastAt: 1_800_000_000_000 });
    const { server } = await openTestHttp(database, { status: { stalls } });
    const { stalls: shown } = (await server.inject('/.status')).json();
    expect(shown).toEqual({ count: 2, longestMs: 12_000, lastAt: '2027-01-15T08:00:00.000Z' });
    await database.close();
  });
});

describe('/.status of an unavailable service', () => {
  let database: Database;

  beforeAll(async () => {
    database = await openTestDatabase('sqlite');
  });
  afterAll(() => database.close());

  it.each([
    ['the database does not answer', { health: async () => false }],
    ['asking the database fails', { health: () => Promise.reject(new Error('connection refused')) }],
    ['the database keeps silent', { health: () => new Promise<boolean>(() => {}), healthTimeoutMs: 50 }],
    ['the process is on its way out', { draining: () => true }],
  ])('returns unavailable if %s', async (_when, status) => {
    const { server } = await openTestHttp(database, { status });
    const answer = await server.inject('/.status');
    expect(answer.statusCode).toBe(503);
    expect(answer.json()).toMatchObject({ status: 'unavailable', version: '1.2.3' });
  });

  it('asks the database once for requests at the same time, and again after a second', async () => {
    let asked = 0;
    let healthy = true;
    let draining = false;
    const health = async (): Promise<boolean> => {
      asked += 1;
      await sleep(20);
      return healthy;
    };
    const { server } = await openTestHttp(database, { status: { health, draining: () => draining } });
    const statusNow = async () => (await server.inject('/.status')).statusCode;
    expect(await Promise.all([statusNow(), statusNow(), statusNow()])).toEqual([200, 200, 200]);
    expect(asked).toBe(1);
    healthy = false;
    await expect.poll(statusNow).toBe(503);
    expect(asked).toBe(2);
    healthy = true;
    await expect.poll(statusNow).toBe(200);
    draining = true;
    expect(await statusNow()).toBe(503);
  });
});

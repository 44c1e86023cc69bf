import { beforeEach, expect, it } from 'vitest';
import { describeEachDatabase } from '../../../../test/support/database/databases.ts';
import type { Database } from '../../../foundation/db/database.ts';
import {
  type AttemptLimit,
  countAttempt,
  countAttempts,
  resetAttempts,
  uncountAttempt,
} from './count-attempts.ts';

const subject = 'ada@example.com';
const tight: AttemptLimit = { kind: 'tight', subject, limit: 3, windowMs: 60_000 };
const loose: AttemptLimit = { kind: 'loose', subject, limit: 100, windowMs: 60_000 };

describeEachDatabase('counted attempts', (open) => {
  let database: Database;
  let now: number;

  beforeEach(async () => {
    database = await open();
    now = 1_800_000_000_000;
  });

  const once = (limit = tight) => countAttempt(database.queries, limit, now);
  const both = () => countAttempts(database, [loose, tight], now);
  const limited = (retryAfter: number) => expect.objectContaining({ status: 429, retryAfter });
  const counts = async () => {
    const rows = await database.queries.selectFrom('attempts').selectAll().orderBy('key').execute();
    return rows.map(({ key, count }) => `${key.split(':', 1)[0]} ${count}`);
  };

  it('are allowed up to the limit, and again after the window', async () => {
    for (let count = 0; count < 3; count += 1) await once();
    now += 20_000;
    await expect(once()).rejects.toEqual(limited(40));
    now += 40_000;
    await once();
    expect(await counts()).toEqual(['tight 1']);
  });

  it('of one subject do not affect others, and the database contains no names', async () => {
    for (let count = 0; count < 3; count += 1) await once();
    await once({ ...tight, subject: 'bob@example.com' });
    await once(loose);
    const rows = await database.queries.selectFrom('attempts').selectAll().execute();
    expect(JSON.stringify(rows)).not.toMatch(/ada|bob|example/);
  });

  it('that are refused write nothing to any limit', async () => {
    for (let count = 0; count < 3; count += 1) await both();
    const before = await database.queries.selectFrom('attempts').selectAll().execute();
    for (let count = 0; count < 5; count += 1) await expect(both()).rejects.toEqual(limited(60));
    expect(await database.queries.selectFrom('attempts').selectAll().execute()).toEqual(before);
    expect(await counts()).toEqual(['loose 3', 'tight 3']);
  });

  it('that are refused start no transaction', async () => {
    for (let count = 0; count < 3; count += 1) await both();
    const readOnly = {
      queries: database.queries,
      transaction: () => Promise.reject(new Error('unexpected transaction')),
    };
    await expect(countAttempts(readOnly, [loose, tight], now)).rejects.toEqual(limited(60));
  });

  it('are counted exactly under every limit when they are concurrent', async () => {
    const outcomes = await Promise.allSettled(Array.from({ length: 20 }, both));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
    expect(await counts()).toEqual(['loose 3', 'tight 3']);
  });

  it('are subtracted one by one, never below zero, or reset', async () => {
    for (let count = 0; count < 3; count += 1) await once();
    await uncountAttempt(database.queries, tight);
    await once();
    await expect(once()).rejects.toEqual(limited(60));
    for (let count = 0; count < 5; count += 1) await uncountAttempt(database.queries, tight);
    expect(await counts()).toEqual(['tight 0']);
    await resetAttempts(database.queries, tight);
    expect(await counts()).toEqual([]);
  });
});

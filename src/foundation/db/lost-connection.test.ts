import { sql } from 'kysely';
import pg from 'pg';
import { afterEach, describe, expect, it } from 'vitest';
import {
  hasPostgres,
  openTestDatabase,
  postgresUrl,
  type TestDatabase,
} from '../../../test/support/databases.ts';
import { explainLoss } from './lost-connection.ts';

const unavailable = { code: 'database_unavailable', status: 503, retryAfter: 5 };

describe.skipIf(!hasPostgres())('a Postgres that goes away', () => {
  let database: TestDatabase;
  let name: string;

  /** Nobody may connect any more, and whoever is connected is put out. */
  const goAway = async (): Promise<void> => {
    await onServer(`alter database ${name} with allow_connections false`);
    await onServer(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`);
  };
  const open = async (): Promise<void> => {
    database = await openTestDatabase('postgres');
    if (database.options.dialect !== 'postgres') throw new Error('not a Postgres');
    name = new URL(database.options.url).pathname.slice(1);
  };
  afterEach(() => database.close());

  it('is told as unavailable, with the time to come back, and answers again when it is back', async () => {
    await open();
    await database.queries.selectFrom('jobs').selectAll().execute();
    await goAway();
    const asked = () => database.queries.selectFrom('jobs').selectAll().execute();
    await expect(asked()).rejects.toMatchObject(unavailable);
    await expect(asked()).rejects.toMatchObject(unavailable);
    await expect(
      database.transaction((tx) => tx.selectFrom('jobs').selectAll().execute()),
    ).rejects.toMatchObject(unavailable);
    await onServer(`alter database ${name} with allow_connections true`);
    expect(await asked()).toEqual([]);
  });

  it('is told alike inside a transaction under way', async () => {
    await open();
    const work = database.transaction(async (tx) => {
      await tx.selectFrom('jobs').selectAll().execute();
      await goAway();
      await tx.selectFrom('jobs').selectAll().execute();
    });
    await expect(work).rejects.toMatchObject(unavailable);
    await onServer(`alter database ${name} with allow_connections true`);
  });

  it('leaves faults of a statement what they are', async () => {
    await open();
    await expect(sql`select nothing from nowhere`.execute(database.queries)).rejects.toMatchObject({
      code: '42P01',
    });
  });
});

async function onServer(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: await postgresUrl() });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

describe('a SQLite file that cannot be read', () => {
  it.each(['SQLITE_IOERR_READ', 'SQLITE_CANTOPEN', 'SQLITE_FULL'])('is unavailable: %s', (code) => {
    expect(explainLoss(Object.assign(new Error('disk'), { code }))).toMatchObject(unavailable);
  });

  it('is no excuse for faults of a statement', () => {
    const fault = Object.assign(new Error('unique'), { code: 'SQLITE_CONSTRAINT_UNIQUE' });
    expect(explainLoss(fault)).toBe(fault);
  });
});

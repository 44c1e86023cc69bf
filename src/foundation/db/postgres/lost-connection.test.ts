import { sql } from 'kysely';
import pg from 'pg';
import { afterEach, describe, expect, it } from 'vitest';
import {
  hasPostgres,
  openTestDatabase,
  postgresUrl,
  type TestDatabase,
} from '../../../../test/support/database/databases.ts';
import { explainLoss } from './lost-connection.ts';

const unavailable = { code: 'database_unavailable', status: 503, retryAfter: 5 };

describe.skipIf(!hasPostgres())('a Postgres that goes away', () => {
  let database: TestDatabase;
  let name: string;

  /** Refuses new connections and terminates the existing ones. */
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

  it('is reported as unavailable with a Retry-After, and responds again when it is back', async () => {
    await open();
    await database.queries.selectFrom('jobs').selectAll().execute();
    await goAway();
    const query = () => database.queries.selectFrom('jobs').selectAll().execute();
    await expect(query()).rejects.toMatchObject(unavailable);
    await expect(query()).rejects.toMatchObject(unavailable);
    await expect(
      database.transaction((tx) => tx.selectFrom('jobs').selectAll().execute()),
    ).rejects.toMatchObject(unavailable);
    await onServer(`alter database ${name} with allow_connections true`);
    expect(await query()).toEqual([]);
  });

  it('is reported in the same way inside a running transaction', async () => {
    await open();
    const work = database.transaction(async (tx) => {
      await tx.selectFrom('jobs').selectAll().execute();
      await goAway();
      await tx.selectFrom('jobs').selectAll().execute();
    });
    await expect(work).rejects.toMatchObject(unavailable);
    await onServer(`alter database ${name} with allow_connections true`);
  });

  it('does not change errors of a statement', async () => {
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
  it.each(['SQLITE_IOERR_READ', 'SQLITE_CANTOPEN'])('is unavailable: %s', (code) => {
    expect(explainLoss(Object.assign(new Error('disk'), { code }))).toMatchObject(unavailable);
  });

  it.each(['SQLITE_FULL', 'SQLITE_IOERR_SHMSIZE'])('has a full disk: %s', (code) => {
    expect(explainLoss(Object.assign(new Error('disk'), { code }))).toMatchObject({ code: 'disk_full' });
  });

  it('does not change other errors of a statement', () => {
    const error = Object.assign(new Error('unique'), { code: 'SQLITE_CONSTRAINT_UNIQUE' });
    expect(explainLoss(error)).toBe(error);
  });
});

import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { hasPostgres, openTestDatabase, postgresUrl } from '../../../../test/support/database/databases.ts';
import { silentLog } from '../../../../test/support/silent-log.ts';
import { postgresUrl as postgresUrlSetting } from '../../config/settings/url-types.ts';
import { openDatabase } from '../open-database.ts';

async function failure(url: string): Promise<{ code: string; message: string; status: number }> {
  const options = { dialect: 'postgres', url, poolSize: 1, applicationName: 'test' } as const;
  return openDatabase(options, silentLog).then(
    () => {
      throw new Error('it was opened');
    },
    (error: { code: string; message: string; status: number }) => error,
  );
}

describe('a Postgres that cannot be reached', () => {
  it('is reported with host and port, without the credentials', async () => {
    const error = await failure('postgres://ada:hunter2@127.0.0.1:1/orgctx');
    expect(error).toMatchObject({ code: 'database_unreachable', status: 503 });
    expect(error.message).toContain('Cannot reach Postgres at 127.0.0.1:1.');
    expect(error.message).not.toMatch(/hunter2|ada/);
  });
});

describe('a socket of Postgres that does not exist', () => {
  it('is reported with its folder, without the credentials', async () => {
    const error = await failure('postgres://ada:hunter2@localhost/orgctx?host=/nowhere');
    expect(error).toMatchObject({ code: 'database_unreachable', status: 503 });
    expect(error.message).toContain('Cannot reach Postgres at /nowhere:5432.');
    expect(error.message).not.toMatch(/hunter2|ada/);
  });
});

describe.skipIf(!hasPostgres())('a Postgres server', () => {
  it('is reached and listened to through its socket', async () => {
    const database = await openTestDatabase('postgres');
    const { rows } = await sql<{ folder: string }>`
      select current_setting('unix_socket_directories') as folder`.execute(database.queries);
    if (database.options.dialect !== 'postgres') throw new Error('not a Postgres');
    const tcp = new URL(database.options.url);
    const given = `postgres://${tcp.username}:${tcp.password}@:${tcp.port}${tcp.pathname}?host=${rows[0]!.folder}`;
    const { url } = postgresUrlSetting.parse(given);
    const through = await openDatabase({ ...database.options, url, directUrl: url }, silentLog);
    const address = await sql<{ address: string | null }>`
      select inet_server_addr() as address`.execute(through.queries);
    expect(address.rows).toEqual([{ address: null }]);
    await new Promise<void>((resolve) => {
      const stop = through.subscribe('socket_test', () => {
        stop();
        resolve();
      });
    });
    await through.close();
    await database.close();
  });

  it('that refuses the password is reported as such, without the password', async () => {
    const url = new URL(await postgresUrl());
    url.password = 'hunter2';
    const error = await failure(url.href);
    expect(error).toMatchObject({ code: 'not_configured' });
    expect(error.message).toMatch(/refused the user or the password/);
    expect(error.message).not.toContain('hunter2');
  });

  it('without the database is reported as such', async () => {
    const url = new URL(await postgresUrl());
    url.pathname = 'missing';
    expect((await failure(url.href)).message).toMatch(/has no database/);
  });

  it('ends statements and idle transactions that take too long', async () => {
    const database = await openTestDatabase('postgres');
    const { rows } = await sql<{ statement: string; idle: string }>`
      select current_setting('statement_timeout') as statement,
        current_setting('idle_in_transaction_session_timeout') as idle`.execute(database.queries);
    expect(rows).toEqual([{ statement: '30s', idle: '15s' }]);
    await database.close();
  });
});

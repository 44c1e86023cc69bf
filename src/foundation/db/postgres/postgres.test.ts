import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { hasPostgres, openTestDatabase, postgresUrl } from '../../../../test/support/database/databases.ts';
import { silentLog } from '../../../../test/support/silent-log.ts';
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

describe.skipIf(!hasPostgres())('a Postgres server', () => {
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

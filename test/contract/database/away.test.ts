import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { hasPostgres, openTestDatabase, postgresUrl } from '../../support/database/databases.ts';
import { openTestHttp } from '../../support/http/http-server.ts';

async function onServer(statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: await postgresUrl() });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

describe.skipIf(!hasPostgres())('a service whose Postgres is down', () => {
  it('answers 503 with Retry-After, and serves again when Postgres is back', async () => {
    const database = await openTestDatabase('postgres');
    const http = await openTestHttp(database);
    const list = () => http.call({ url: '/acme/api/v1/repositories' });
    expect((await list()).statusCode).toBe(200);
    const name = database.options.dialect === 'postgres' && new URL(database.options.url).pathname.slice(1);
    await onServer([
      `alter database ${name} with allow_connections false`,
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`,
    ]);
    const away = await list();
    expect(away.statusCode).toBe(503);
    expect(away.headers['retry-after']).toBe('5');
    expect(away.json()).toMatchObject({ code: 'database_unavailable', status: 503 });
    await onServer([`alter database ${name} with allow_connections true`]);
    expect((await list()).statusCode).toBe(200);
    await http.server.close();
    await database.close();
  });
});

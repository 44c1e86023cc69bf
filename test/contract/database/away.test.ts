import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { hasPostgres, openTestDatabase, postgresUrl } from '../../support/database/databases.ts';
import { openTestHttp } from '../../support/http/http-server.ts';
import { openRegistrationServer, publicClient } from '../../support/identity/registering.ts';

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
    const authorizing = await openRegistrationServer(database);
    const clientId = String((await authorizing.register(publicClient)).json['client_id']);
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
    const refused = await authorizing.call('/.auth/token', {
      method: 'POST',
      body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token: 'x', client_id: clientId }),
    });
    expect([refused.status, refused.headers.get('retry-after'), refused.json['error']]).toEqual([
      503,
      '5',
      'temporarily_unavailable',
    ]);
    await onServer([`alter database ${name} with allow_connections true`]);
    expect((await list()).statusCode).toBe(200);
    await http.server.close();
    await database.close();
  });
});

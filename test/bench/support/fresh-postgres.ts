import { randomBytes } from 'node:crypto';
import pg from 'pg';
import type { DatabaseOptions } from '../../../src/foundation/db/database.ts';

type PostgresOptions = Extract<DatabaseOptions, { dialect: 'postgres' }>;

/** Creates an empty database on the bench's server; the pool has as many connections as that of `serve`. */
export async function freshPostgres(server: string): Promise<PostgresOptions> {
  const name = `bench_${randomBytes(6).toString('hex')}`;
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  await client.query(`create database ${name}`);
  await client.end();
  const url = new URL(server);
  url.pathname = name;
  return { dialect: 'postgres', url: url.href, poolSize: 10, applicationName: 'bench' };
}

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import pg from 'pg';
import type { OpenTestDatabase, TestDatabase } from './databases.ts';

const folder = join(import.meta.dirname, '../../fixtures/databases');

/** A database as a release left it (fixtures/databases), with its rows. */
export async function openReleased(open: OpenTestDatabase, release: string): Promise<TestDatabase> {
  const database = await open({ empty: true });
  const script = await readFile(join(folder, release, `${database.dialect}.sql`), 'utf8');
  if (database.options.dialect === 'sqlite') {
    const connection = new BetterSqlite3(database.options.file);
    connection.exec(script);
    connection.close();
  } else {
    const client = new pg.Client({ connectionString: database.options.url });
    await client.connect();
    await client.query(script);
    await client.end();
  }
  return database;
}

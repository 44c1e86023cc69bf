import { chmodSync } from 'node:fs';
import BetterSqlite3 from 'better-sqlite3';
import { sql } from 'kysely';
import type { Queries } from './database.ts';
import { dialectOf } from './dialect.ts';
import { listTables } from './schema-history.ts';

/**
 * Copies a SQLite file beside itself and returns the copy's path; `undefined` for Postgres and for an empty file.
 * Runs inside the write transaction that is about to change the file, on a connection of its own: what it copies is
 * the state before, and nobody can write in between.
 */
export async function backupSqlite(tx: Queries): Promise<string | undefined> {
  if (dialectOf(tx) === 'postgres' || (await listTables(tx)).length === 0) return undefined;
  const { rows } = await sql<{ file: string }>`
    select file from pragma_database_list where name = 'main'`.execute(tx);
  const file = rows[0]?.file;
  if (file === undefined || file === '') return undefined;
  const copy = `${file}.backup-${new Date().toISOString().replaceAll(/[-:]/g, '')}`;
  const reader = new BetterSqlite3(file, { readonly: true });
  try {
    await reader.backup(copy);
    chmodSync(copy, 0o600);
  } finally {
    reader.close();
  }
  return copy;
}

import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { silentLog } from '../../../../test/support/silent-log.ts';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { openDatabase } from '../open-database.ts';
import { truncateWal, walBytes } from './sqlite-wal.ts';

it('truncates the write-ahead log while the database is open, without loss', async () => {
  const file = join(temporaryFolder(), 'a.db');
  expect(walBytes(file)).toBe(0);
  const database = await openDatabase({ dialect: 'sqlite', file }, silentLog);
  await sql`create table t (a text)`.execute(database.queries);
  await sql`insert into t values (${'x'.repeat(100_000)})`.execute(database.queries);
  expect(walBytes(file)).toBeGreaterThan(100_000);
  expect(await truncateWal(file)).toBe(true);
  expect(walBytes(file)).toBe(0);
  const { rows } = await sql<{ bytes: number }>`select length(a) as bytes from t`.execute(database.queries);
  expect(rows).toEqual([{ bytes: 100_000 }]);
  await database.close();
});

it('truncates the write-ahead log only after a reader of the former state has ended', async () => {
  const file = join(temporaryFolder(), 'a.db');
  const database = await openDatabase({ dialect: 'sqlite', file }, silentLog);
  await sql`create table t (a text)`.execute(database.queries);
  const reader = new BetterSqlite3(file, { readonly: true });
  reader.exec('begin');
  reader.prepare('select * from t').all();
  await sql`insert into t values ('later')`.execute(database.queries);
  expect(await truncateWal(file)).toBe(false);
  expect(walBytes(file)).toBeGreaterThan(0);
  reader.exec('commit');
  expect(await truncateWal(file)).toBe(true);
  reader.close();
  await database.close();
});

import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { sql } from 'kysely';
import { beforeEach, describe, expect, it } from 'vitest';
import { silentLog } from '../../../../test/support/silent-log.ts';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { NotConfigured } from '../../config/config-error.ts';
import { openDatabase } from '../open-database.ts';

describe('a SQLite database', () => {
  let folder: string;

  beforeEach(async () => {
    folder = temporaryFolder();
  });

  const open = (file: string) => openDatabase({ dialect: 'sqlite', file }, silentLog);

  it('flushes every commit to the disk and checks references', async () => {
    const database = await open(join(folder, 'a.db'));
    const pragma = async (name: string): Promise<unknown> => {
      const { rows } = await sql<Record<string, unknown>>`pragma ${sql.raw(name)}`.execute(database.queries);
      return Object.values(rows[0] ?? {})[0];
    };
    expect(await pragma('journal_mode')).toBe('wal');
    expect(await pragma('synchronous')).toBe(2);
    expect(await pragma('foreign_keys')).toBe(1);
    // SQLite would sleep in it and stop the event loop.
    expect(await pragma('busy_timeout')).toBe(0);
    expect(await pragma('trusted_schema')).toBe(0);
    await database.close();
  });

  it('keeps its locks when the same process opens the file again', async () => {
    const file = join(folder, 'a.db');
    const first = await open(file);
    await sql`create table t (a text)`.execute(first.queries);
    const { ino } = await stat(file);
    const locks = async (): Promise<number> =>
      (await readFile('/proc/locks', 'utf8')).split('\n').filter((line) => line.includes(`:${ino} `)).length;
    const before = await locks();
    const second = await open(file);
    expect(before).toBeGreaterThan(0);
    expect(await locks()).toBe(before);
    await second.close();
    await first.close();
  });

  it('is readable only by its owner, including its folder and journal', async () => {
    const file = join(folder, 'new', 'a.db');
    const database = await open(file);
    await sql`create table t (a text)`.execute(database.queries);
    const mode = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;
    expect([await mode(file), await mode(`${file}-wal`), await mode(join(folder, 'new'))]).toEqual([
      0o600, 0o600, 0o700,
    ]);
    await database.close();
  });

  it('leaves no journal behind when it is closed once or more', async () => {
    const file = join(folder, 'a.db');
    const database = await open(file);
    await sql`create table t (a text)`.execute(database.queries);
    await Promise.all([database.close(), database.close()]);
    await expect(stat(`${file}-wal`)).rejects.toThrow(/ENOENT/);
  });

  it('names the setting when the file cannot be a database', async () => {
    await writeFile(join(folder, 'text'), 'x'.repeat(4_096));
    for (const file of [folder, join(folder, 'text'), join(folder, 'text', 'below.db')]) {
      const error = await open(file).catch((caught: unknown) => caught);
      expect(error).toBeInstanceOf(NotConfigured);
      expect(String(error)).toMatch(/DATABASE_URL or DATA_DIR/);
    }
  });

  it('takes the write lock when a transaction begins, so that no other process writes between its read and its write', async () => {
    const file = join(folder, 'a.db');
    const database = await open(file);
    await sql`create table counter (n integer)`.execute(database.queries);
    await sql`insert into counter values (0)`.execute(database.queries);
    const rival = new BetterSqlite3(file, { timeout: 0 });
    let runs = 0;
    await database.transaction(async (tx) => {
      runs += 1;
      const { rows } = await sql<{ n: number }>`select n from counter`.execute(tx);
      expect(() => rival.exec('update counter set n = 100')).toThrow(/locked/);
      await sql`update counter set n = ${(rows[0]?.n ?? 0) + 1}`.execute(tx);
    });
    expect(runs).toBe(1);
    expect(rival.prepare('select n from counter').pluck().get()).toBe(1);
    rival.close();
    await database.close();
  });
});

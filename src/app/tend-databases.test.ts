import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { describeEachDatabase, itWhen, type TestDatabase } from '../../test/support/databases.ts';
import { silentLog } from '../../test/support/silent-log.ts';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { loadConfig } from '../foundation/config/load-config.ts';
import { walBytes } from '../foundation/db/sqlite-wal.ts';
import { tendDatabases } from './tend-databases.ts';

function settingsOf({ options }: TestDatabase) {
  const folder = options.dialect === 'sqlite' ? dirname(options.file) : temporaryFolder();
  const url = options.dialect === 'sqlite' ? `sqlite:${options.file}` : options.url;
  const env = { DATA_DIR: folder, DATABASE_URL: url, AUTH_SECRET: 'x'.repeat(40) };
  return loadConfig({ env, cwd: folder, homeDir: folder });
}

describeEachDatabase('a worker', (open, dialect) => {
  it('makes sure of the store of derived data, beside the truth', async () => {
    const database = await open();
    const settings = settingsOf(database);
    await (await tendDatabases(settings, silentLog)).stop();
    const file = join(settings.config.dataDir, 'graph.db');
    expect(existsSync(file)).toBe(dialect === 'sqlite');
    const { rows } = await sql<{ tables: number }>`select count(*) as tables from information_schema.tables
      where table_schema = 'graph'`
      .execute(database.queries)
      .catch(() => ({ rows: [{ tables: 0 }] }));
    expect((rows[0]?.tables ?? 0) > 0).toBe(dialect === 'postgres');
  });

  itWhen(dialect === 'sqlite')('cuts the write-ahead logs at intervals', async () => {
    const database = await open();
    if (database.options.dialect !== 'sqlite') throw new Error('another dialect was opened');
    const { file } = database.options;
    await sql`create table filler (text text)`.execute(database.queries);
    await sql`insert into filler values (${'x'.repeat(100_000)})`.execute(database.queries);
    expect(walBytes(file)).toBeGreaterThan(100_000);
    const tending = await tendDatabases(settingsOf(database), silentLog, 20);
    await expect.poll(() => walBytes(file)).toBe(0);
    await tending.stop();
  });
});

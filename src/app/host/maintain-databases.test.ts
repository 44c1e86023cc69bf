import { existsSync, readdirSync } from 'node:fs';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { describeEachDatabase, itWhen, type TestDatabase } from '../../../test/support/database/databases.ts';
import { silentLog } from '../../../test/support/silent-log.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { loadConfig } from '../../foundation/config/load-config.ts';
import { walBytes } from '../../foundation/db/sqlite/sqlite-wal.ts';
import { derivedDatabaseOf } from '../../foundation/kernel/data-folder.ts';
import { maintainDatabases } from './maintain-databases.ts';

function settingsOf({ options }: TestDatabase) {
  const folder = temporaryFolder();
  const url = options.dialect === 'sqlite' ? `sqlite:${options.file}` : options.url;
  const env = { DATA_DIR: folder, DATABASE_URL: url, AUTH_SECRET: 'x'.repeat(40) };
  return loadConfig({ env, cwd: folder, homeDir: folder });
}

describeEachDatabase('a worker', (open, dialect) => {
  it('opens the store of derived data next to the main database', async () => {
    const database = await open();
    const settings = settingsOf(database);
    await (await maintainDatabases(settings, silentLog)).stop();
    const { options } = database;
    const written = options.dialect === 'sqlite' && existsSync(derivedDatabaseOf(options.file));
    expect([written, readdirSync(settings.config.dataDir)]).toEqual([dialect === 'sqlite', []]);
    const { rows } = await sql<{ tables: number }>`select count(*) as tables from information_schema.tables
      where table_schema = 'graph'`
      .execute(database.queries)
      .catch(() => ({ rows: [{ tables: 0 }] }));
    expect((rows[0]?.tables ?? 0) > 0).toBe(dialect === 'postgres');
  });

  itWhen(dialect === 'sqlite')('truncates the write-ahead logs at intervals', async () => {
    const database = await open();
    if (database.options.dialect !== 'sqlite') throw new Error('another dialect was opened');
    const { file } = database.options;
    await sql`create table filler (text text)`.execute(database.queries);
    await sql`insert into filler values (${'x'.repeat(100_000)})`.execute(database.queries);
    expect(walBytes(file)).toBeGreaterThan(100_000);
    const reconciling = await maintainDatabases(settingsOf(database), silentLog, 20);
    await expect.poll(() => walBytes(file)).toBe(0);
    await reconciling.stop();
  });
});

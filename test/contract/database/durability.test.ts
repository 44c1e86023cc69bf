import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { openDatabase } from '../../../src/foundation/db/open-database.ts';
import { describeWeakness, readDurability } from '../../../src/foundation/db/sqlite/durability.ts';
import { describeEachDatabase, itWhen } from '../../support/database/databases.ts';
import { memoryLog } from '../../support/memory-log.ts';

describeEachDatabase('the durability of commits', (open, dialect) => {
  it('is read from the live connection and is complete', async () => {
    const database = await open();
    const settings = await readDurability(database.queries);
    expect(Object.fromEntries(settings.map(({ name, value }) => [name, value]))).toEqual(
      dialect === 'sqlite'
        ? { journal_mode: 'wal', synchronous: '2', foreign_keys: '1' }
        : { fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on' },
    );
    expect(describeWeakness(settings)).toBe('');
  });

  itWhen(dialect === 'sqlite')(
    'is reported as reduced when the connection settings were weakened later',
    async () => {
      const database = await open();
      await sql`pragma synchronous = normal`.execute(database.queries);
      await sql`pragma foreign_keys = off`.execute(database.queries);
      expect(describeWeakness(await readDurability(database.queries))).toBe(
        'synchronous is 1, not 2 (FULL); foreign_keys is 0, not 1',
      );
    },
  );

  itWhen(dialect === 'postgres')(
    'is reported as reduced at the start when the database acknowledges commits before they are on disk',
    async () => {
      const database = await open();
      const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(
        database.queries,
      );
      await sql.raw(`alter database ${rows[0]?.name} set synchronous_commit = off`).execute(database.queries);
      const { log, lines } = memoryLog();
      const weak = await openDatabase(database.options, log);
      expect(describeWeakness(await readDurability(weak.queries))).toBe('synchronous_commit is off, not on');
      expect(lines).toMatchObject([
        { level: 40, msg: 'Postgres may lose acknowledged work: synchronous_commit is off, not on' },
      ]);
      await weak.close();
    },
  );
});

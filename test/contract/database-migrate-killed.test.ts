import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { migrations } from '../../migrations/index.ts';
import { migrateToLatest, schemaState } from '../../src/foundation/db/migrate.ts';
import { listTables, readHistory } from '../../src/foundation/db/schema-history.ts';
import { describeEachDatabase, type TestDatabase } from '../support/databases.ts';
import { openReleased } from '../support/released-database.ts';
import { killAtEachWrite, runKilledAt } from '../support/run-killed.ts';
import { dumpSchema, type SchemaDump } from '../support/schema-dump.ts';
import { silentLog } from '../support/silent-log.ts';

const script = join(import.meta.dirname, '../support/migrate-once.ts');
const ids = migrations.map(({ id }) => id);
const fixture = '0001-initial';

/** Whatever the death left is whole: what the history names is there, and of the rest nothing. */
async function assertNothingHalf(database: TestDatabase): Promise<void> {
  const applied = (await readHistory(database.queries)).map(({ id }) => id);
  expect(applied).toEqual(ids.slice(0, applied.length));
  if (applied.length === 1) {
    expect((await listTables(database.queries)).includes('connections')).toBe(false);
  }
}

async function assertCompleted(database: TestDatabase, wanted: SchemaDump): Promise<void> {
  await migrateToLatest(database, { log: silentLog });
  expect(await schemaState(database)).toBe('current');
  expect(await dumpSchema(database.queries)).toEqual(wanted);
}

/** A backup is whole or, where the process died over it, told apart from one that is. Gives how many there are. */
function countBackups({ options }: TestDatabase): number {
  if (options.dialect !== 'sqlite') return 0;
  const folder = dirname(options.file);
  const names = readdirSync(folder).filter((each) => /\.backup-.*Z$/.test(each));
  for (const name of names) {
    const copy = new BetterSqlite3(join(folder, name), { readonly: true });
    expect(copy.pragma('integrity_check', { simple: true })).toBe('ok');
    expect(copy.prepare('select id from schema_migrations').pluck().all()).toEqual([fixture]);
    copy.close();
  }
  return names.length;
}

/** Halves of backups that a death left behind. */
function partsOf({ options }: TestDatabase): readonly string[] {
  return options.dialect === 'sqlite'
    ? readdirSync(dirname(options.file)).filter((name) => name.includes('.part'))
    : [];
}

describeEachDatabase('migrate, killed between any two writes', (open, dialect) => {
  it('leaves a former release or the present one, and the next run completes it with every row kept', async () => {
    const wanted = await dumpSchema((await open()).queries);
    const prepare = async () => {
      const database = await openReleased(open, fixture);
      return { state: database, program: [script, JSON.stringify(database.options)] };
    };
    const backups: number[] = [];
    const writes = await killAtEachWrite(prepare, async (database) => {
      await assertNothingHalf(database);
      backups.push(countBackups(database));
      await assertCompleted(database, wanted);
      expect(partsOf(database)).toEqual([]);
      const { rows } = await sql<{ rows: number }>`select count(*) as rows from repositories`.execute(
        database.queries,
      );
      expect(rows).toEqual([{ rows: 2 }]);
      await database.close();
    });
    expect(writes).toBeGreaterThan(15);
    expect([Math.min(...backups), Math.max(...backups)]).toEqual([0, dialect === 'sqlite' ? 1 : 0]);
  }, 300_000);

  it('leaves an empty database empty or whole, so that the next start of serve makes it or takes it', async () => {
    const wanted = await dumpSchema((await open()).queries);
    const emptied = () => open({ empty: true });
    const first = await emptied();
    const { writes } = await runKilledAt(0, [script, JSON.stringify(first.options)]);
    // Every begin and commit with its neighbours; what lies between two of them is rolled back like the statement beside.
    const edges = writes.flatMap((text, at) =>
      /^(begin|start transaction|commit)/.test(text) ? [at, at + 1, at + 2] : [],
    );
    for (const at of new Set(edges)) {
      const database = await emptied();
      const run = await runKilledAt(at, [script, JSON.stringify(database.options)]);
      if (run.killed) expect(['empty', 'current']).toContain(await schemaState(database));
      await assertCompleted(database, wanted);
      await database.close();
    }
    expect(edges.length).toBeGreaterThanOrEqual(6);
  }, 300_000);
});

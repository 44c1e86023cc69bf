import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { migrateToLatest, schemaState } from '../../../src/foundation/db/migrations/migrate.ts';
import { listTables, readHistory } from '../../../src/foundation/db/migrations/schema-history.ts';
import { describeEachDatabase, type TestDatabase } from '../../support/database/databases.ts';
import {
  sampleMigrations as migrations,
  openSample,
  sampleIds,
} from '../../support/database/sample-migrations.ts';
import { dumpSchema, type SchemaDump } from '../../support/database/schema-dump.ts';
import { killAtEachWrite, runKilledAt } from '../../support/kill/run-killed.ts';
import { silentLog } from '../../support/silent-log.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const script = join(import.meta.dirname, '../../support/database/migrate-once.ts');
const older = '0001-people';

/** The tables that the second and the third migration create. */
const createdLater = ['labels', 'badges'];

/** Expects the tables of the migrations that the history names, and no others. */
async function assertNothingHalf({ queries }: TestDatabase): Promise<void> {
  const applied = (await readHistory(queries)).map(({ id }) => id);
  expect(applied).toEqual(sampleIds.slice(0, applied.length));
  const tables = await listTables(queries);
  expect(createdLater.filter((table) => tables.includes(table))).toEqual(
    createdLater.slice(0, applied.length - 1),
  );
}

async function assertCompleted(database: TestDatabase, wanted: SchemaDump): Promise<void> {
  await migrateToLatest(database, { migrations, log: silentLog });
  expect(await schemaState(database, migrations)).toBe('current');
  expect(await dumpSchema(database.queries)).toEqual(wanted);
}

/** Expects every backup to be whole and returns their number. Incomplete ones have another name. */
function countBackups({ options }: TestDatabase): number {
  if (options.dialect !== 'sqlite') return 0;
  const folder = dirname(options.file);
  const names = readdirSync(folder).filter((each) => /\.backup-.*Z$/.test(each));
  for (const name of names) {
    const copy = new BetterSqlite3(join(folder, name), { readonly: true });
    expect(copy.pragma('integrity_check', { simple: true })).toBe('ok');
    expect(copy.prepare('select id from schema_migrations').pluck().all()).toEqual([older]);
    copy.close();
  }
  return names.length;
}

/** Returns the names of the incomplete backups that killed processes left. */
function partsOf({ options }: TestDatabase): readonly string[] {
  return options.dialect === 'sqlite'
    ? readdirSync(dirname(options.file)).filter((name) => name.includes('.part'))
    : [];
}

describeEachDatabase('a migration that is killed between any two writes', (open, dialect) => {
  it('leaves a state that the next run completes with every row kept', async () => {
    const wanted = await dumpSchema((await openSample(open)).queries);
    const prepare = async () => {
      const database = await openSample(open, older);
      return { state: database, program: [script, JSON.stringify(database.options)] };
    };
    const backups: number[] = [];
    const writes = await killAtEachWrite(prepare, async (database) => {
      await assertNothingHalf(database);
      backups.push(countBackups(database));
      await assertCompleted(database, wanted);
      expect(partsOf(database)).toEqual([]);
      const { rows } = await sql`select number from notes order by number`.execute(database.queries);
      expect(rows).toEqual([{ number: 1 }, { number: 2 }]);
      await database.close();
    });
    expect(writes).toBeGreaterThan(15);
    expect([Math.min(...backups), Math.max(...backups)]).toEqual([0, dialect === 'sqlite' ? 1 : 0]);
  });

  it('leaves an empty database empty or complete, so that the next start of serve can use it', async () => {
    const wanted = await dumpSchema((await openSample(open)).queries);
    const env = { NODE_COMPILE_CACHE: temporaryFolder() };
    const emptied = () => open({ empty: true });
    const first = await emptied();
    const { writes } = await runKilledAt(0, [script, JSON.stringify(first.options)], { env });
    // A kill between two statements of a transaction is like one at its begin or commit: it is rolled back.
    const edges = writes.flatMap((text, at) =>
      /^(begin|start transaction|commit)/.test(text) ? [at, at + 1, at + 2] : [],
    );
    for (const at of new Set(edges)) {
      const database = await emptied();
      const run = await runKilledAt(at, [script, JSON.stringify(database.options)], { env });
      if (run.killed) expect(['empty', 'current']).toContain(await schemaState(database, migrations));
      await assertCompleted(database, wanted);
      await database.close();
    }
    expect(edges.length).toBeGreaterThanOrEqual(6);
  });
});

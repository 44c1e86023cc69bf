import { sql } from 'kysely';
import { expect, it } from 'vitest';
import type { Queries } from '../../../src/foundation/db/database.ts';
import { migrateToLatest, schemaState } from '../../../src/foundation/db/migrations/migrate.ts';
import { describeEachDatabase } from '../../support/database/databases.ts';
import {
  sampleMigrations as migrations,
  openSample,
  sampleIds,
} from '../../support/database/sample-migrations.ts';
import { dumpSchema, type SchemaDump } from '../../support/database/schema-dump.ts';
import { silentLog } from '../../support/silent-log.ts';

/** Returns every row of these tables, in these columns, as sorted text. */
async function rowsOf(queries: Queries, tables: SchemaDump): Promise<Record<string, readonly string[]>> {
  const all: Record<string, readonly string[]> = {};
  for (const [table, { columns }] of Object.entries(tables)) {
    const names = sql.join(Object.keys(columns).map((name) => sql.ref(name)));
    const { rows } = await sql<Record<string, unknown>>`select ${names} from ${sql.table(table)}`.execute(
      queries,
    );
    all[table] = rows.map((row) => JSON.stringify(row)).toSorted();
  }
  return all;
}

describeEachDatabase('a database of an older program', (open) => {
  it.each(sampleIds.slice(0, -1))('at %s is migrated with every row kept', async (id) => {
    const database = await openSample(open, id);
    expect(await schemaState(database, migrations)).toBe('older');
    const { schema_migrations: _history, ...tables } = await dumpSchema(database.queries);
    const before = await rowsOf(database.queries, tables);
    for (const [table, rows] of Object.entries(before)) expect([table, rows.length]).not.toEqual([table, 0]);

    const { applied } = await migrateToLatest(database, { migrations, log: silentLog });
    expect(applied).toEqual(sampleIds.slice(sampleIds.indexOf(id) + 1));
    expect(await schemaState(database, migrations)).toBe('current');
    expect(await rowsOf(database.queries, tables)).toEqual(before);
    const { rows } = await sql`select * from badges order by person_id`.execute(database.queries);
    expect(rows).toEqual([
      { person_id: 'person-1', team: 'Alpha' },
      { person_id: 'person-2', team: "Beta's" },
    ]);
  });

  it.each(sampleIds.slice(0, -1))(
    'at %s gets the schema of a new database, and reuses no number',
    async (id) => {
      const database = await openSample(open, id);
      await migrateToLatest(database, { migrations, log: silentLog });
      const created = await openSample(open);
      expect(await dumpSchema(database.queries)).toEqual(await dumpSchema(created.queries));
      const { rows } = await sql`
        insert into notes (person_id, content) values ('person-1', null) returning number`.execute(
        database.queries,
      );
      expect(rows).toEqual([{ number: 4 }]);
    },
  );
});

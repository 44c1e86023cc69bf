import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { migrations } from '../../migrations/index.ts';
import type { Queries } from '../../src/foundation/db/database.ts';
import { migrateToLatest, schemaState } from '../../src/foundation/db/migrate.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { openReleased } from '../support/released-database.ts';
import { dumpSchema, type SchemaDump } from '../support/schema-dump.ts';
import { silentLog } from '../support/silent-log.ts';

const releases = readdirSync(join(import.meta.dirname, '../../fixtures/databases'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

/** Every row of these tables, in these columns, as text that does not depend on the order of rows. */
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

describeEachDatabase('a database of an earlier release', (open) => {
  it.each(releases)('%s is brought to the present with every row kept', async (release) => {
    const database = await openReleased(open, release);
    expect(await schemaState(database)).toBe('older');
    const { schema_migrations: _history, ...tables } = await dumpSchema(database.queries);
    const before = await rowsOf(database.queries, tables);
    for (const [table, rows] of Object.entries(before)) expect([table, rows.length]).not.toEqual([table, 0]);

    const { applied } = await migrateToLatest(database, { log: silentLog });
    const ids = migrations.map(({ id }) => id);
    expect(applied).toEqual(ids.slice(ids.indexOf(release) + 1));
    expect(await schemaState(database)).toBe('current');
    expect(await rowsOf(database.queries, tables)).toEqual(before);
  });

  it.each(releases)(
    '%s has the schema of a new database afterwards, and gives no number again',
    async (release) => {
      const database = await openReleased(open, release);
      await migrateToLatest(database, { log: silentLog });
      const made = await open();
      expect(await dumpSchema(database.queries)).toEqual(await dumpSchema(made.queries));
      const { rows } = await sql<{ number: number }>`
      insert into repositories (id, organization_id, name, source, source_kind, state, state_changed_at,
        index_generation, files, bytes, skipped, created_at)
      values ('new', 'org-1', 'new', 'https://host.test/new', 'https', 'queued', 1, 0, 0, 0, '{}', 1)
      returning number`.execute(database.queries);
      expect(rows).toEqual([{ number: 4 }]);
    },
  );
});

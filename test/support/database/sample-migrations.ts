import { sql } from 'kysely';
import type { Queries } from '../../../src/foundation/db/database.ts';
import { migrateToLatest } from '../../../src/foundation/db/migrations/migrate.ts';
import type { Migration, MigrationSet } from '../../../src/foundation/db/migrations/migration.ts';
import { silentLog } from '../silent-log.ts';
import type { OpenTestDatabase, TestDatabase } from './databases.ts';

/** Creates a table that others refer to, and a table whose numbers are never reused. */
const people: Migration = {
  id: '0001-people',
  up: async (db, d) => {
    await d
      .createTable(db, 'teams')
      .addColumn('id', d.text, (c) => c.primaryKey())
      .addColumn('name', d.text, (c) => c.notNull().unique())
      .execute();
    await d
      .createTable(db, 'people')
      .addColumn('id', d.text, (c) => c.primaryKey())
      .addColumn('team_id', d.text, (c) => c.notNull().references('teams.id').onDelete('cascade'))
      .addColumn('born_at', d.int64)
      .execute();
    await db.schema.createIndex('people_team').on('people').column('team_id').execute();
    await d
      .createNumberedTable(db, 'notes', 'number')
      .addColumn('person_id', d.text, (c) => c.notNull().references('people.id').onDelete('cascade'))
      .addColumn('content', d.bytes)
      .execute();
  },
};

/** Changes a table that has rows, and creates a table with a partial index. */
const labels: Migration = {
  id: '0002-labels',
  up: async (db, d) => {
    await db.schema
      .alterTable('people')
      .addColumn('email', d.text, (c) => c.notNull().defaultTo(''))
      .execute();
    await d
      .createTable(db, 'labels')
      .addColumn('person_id', d.text, (c) => c.notNull().references('people.id').onDelete('cascade'))
      .addColumn('name', d.text, (c) => c.notNull())
      .addColumn('removed_at', d.int64)
      .addPrimaryKeyConstraint('labels_pkey', ['person_id', 'name'])
      .execute();
    await db.schema
      .createIndex('labels_name')
      .unique()
      .on('labels')
      .column('name')
      .where(sql<boolean>`removed_at is null`)
      .execute();
  },
};

/** Copies rows into a new table, and replaces an index. */
const badges: Migration = {
  id: '0003-badges',
  up: async (db, d) => {
    await d
      .createTable(db, 'badges')
      .addColumn('person_id', d.text, (c) => c.primaryKey())
      .addColumn('team', d.text, (c) => c.notNull())
      .execute();
    await sql`insert into badges (person_id, team)
      select p.id, t.name from people p join teams t on t.id = p.team_id`.execute(db);
    await db.schema.dropIndex('people_team').execute();
    await db.schema.createIndex('people_team').on('people').columns(['team_id', 'email']).execute();
  },
};

/** Migrations for the tests of upgrades. They are independent of the program's own, of which there may be only one. */
export const sampleMigrations: MigrationSet = { list: [people, labels, badges], checksums: {} };

export const sampleIds: readonly string[] = sampleMigrations.list.map(({ id }) => id);

/** Returns the sample migrations up to `id`, like those of an older program. */
function sampleUpTo(id: string): MigrationSet {
  return { ...sampleMigrations, list: sampleMigrations.list.slice(0, sampleIds.indexOf(id) + 1) };
}

/** Returns the sample migrations and one more, like those of a newer program. */
export function sampleWith(migration: Migration): MigrationSet {
  return { ...sampleMigrations, list: [...sampleMigrations.list, migration] };
}

/** Opens a database that was migrated up to `id`, with rows in each of its tables. Note 3 was deleted. */
export async function openSample(
  open: OpenTestDatabase,
  id: string = sampleIds.at(-1) ?? '',
): Promise<TestDatabase> {
  const database = await open({ empty: true });
  await migrateToLatest(database, { migrations: sampleUpTo(id), log: silentLog });
  await database.transaction((tx) => addRows(tx, sampleIds.indexOf(id) >= 1));
  return database;
}

async function addRows(tx: Queries, hasLabels: boolean): Promise<void> {
  await sql`insert into teams (id, name) values ('team-1', 'Alpha'), ('team-2', ${"Beta's"})`.execute(tx);
  await sql`insert into people (id, team_id, born_at)
    values ('person-1', 'team-1', 1795000000000), ('person-2', 'team-2', null)`.execute(tx);
  for (const content of [Buffer.from([0, 255, 10]), null, Buffer.from('deleted')]) {
    await sql`insert into notes (person_id, content) values ('person-1', ${content})`.execute(tx);
  }
  await sql`delete from notes where number = 3`.execute(tx);
  if (!hasLabels) return;
  await sql`update people set email = 'ada@example.com' where id = 'person-1'`.execute(tx);
  await sql`insert into labels (person_id, name, removed_at)
    values ('person-1', 'lead', null), ('person-2', 'lead', 1)`.execute(tx);
}

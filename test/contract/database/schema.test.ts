import { sql } from 'kysely';
import { afterEach, describe, expect, it } from 'vitest';
import {
  describeEachDatabase,
  hasPostgres,
  openTestDatabase,
  type TestDatabase,
} from '../../support/database/databases.ts';
import { dumpSchema } from '../../support/database/schema-dump.ts';

describe.skipIf(!hasPostgres())('the schema after all migrations', () => {
  const opened: TestDatabase[] = [];
  afterEach(async () => {
    for (const database of opened.splice(0)) await database.close();
  });
  const openBoth = async () => {
    const [sqlite, postgres] = [await openTestDatabase('sqlite'), await openTestDatabase('postgres')];
    opened.push(sqlite, postgres);
    return { sqlite, postgres };
  };

  it('is the same on both dialects: columns, keys, references and indexes with their predicates', async () => {
    const { sqlite, postgres } = await openBoth();
    const dump = await dumpSchema(sqlite.queries);
    expect(await dumpSchema(postgres.queries)).toEqual(dump);
    // An empty dump would equal another empty one.
    expect(dump['jobs']).toMatchObject({
      primaryKey: ['id'],
      columns: { run_at: 'integer not null', key: 'text' },
    });
    expect(dump['jobs']?.indexes).toContain(
      "create unique index jobs_ready_key on jobs task, key where state = 'ready' and key is not null",
    );
    expect(dump['memberships']?.foreignKeys).toContain(
      'user_id -> users.id on delete cascade on update no action',
    );
    expect(dump['mirror_changes']?.columns).toMatchObject({ content: 'bytes' });
  });

  it.each([
    [
      'a nullable column',
      'alter table %s add column more text',
      'alter table %s add column more text not null default 1',
    ],
    ['an index', 'create index more on %s (name)', 'create index more on %s (name desc)'],
    [
      'the predicate of an index',
      "create index more on %s (name) where slug = 'a'",
      "create index more on %s (name) where slug = 'b'",
    ],
    ['a unique index', 'create index more on %s (name)', 'create unique index more on %s (name)'],
    [
      'the on-delete action of a reference',
      'alter table %s add column more text references users (id)',
      'alter table %s add column more text references users (id) on delete cascade',
    ],
  ])('is compared by %s', async (_what, onSqlite, onPostgres) => {
    const { sqlite, postgres } = await openBoth();
    const run = async ({ queries }: TestDatabase, statement: string) =>
      void (await sql.raw(statement.replace('%s', 'organizations')).execute(queries));
    await run(sqlite, onSqlite);
    await run(postgres, onSqlite);
    expect(await dumpSchema(postgres.queries)).toEqual(await dumpSchema(sqlite.queries));
    await postgres.close();
    const other = await openTestDatabase('postgres');
    opened.push(other);
    await run(other, onPostgres);
    expect(await dumpSchema(other.queries)).not.toEqual(await dumpSchema(sqlite.queries));
  });
});

describeEachDatabase('a text column', (open, dialect) => {
  it('is ordered by bytes in every index', async () => {
    const { queries } = await open();
    const collations =
      dialect === 'postgres'
        ? sql<{ name: string }>`
            select distinct c.collation_name as name from information_schema.columns c
            join pg_index i on i.indrelid = c.table_name::regclass
            join pg_attribute a on a.attrelid = i.indexrelid and a.attname = c.column_name
            where c.table_schema = current_schema() and c.data_type = 'text'`
        : sql<{ name: string }>`
            select distinct x.coll as name from sqlite_schema s, pragma_index_xinfo(s.name) x where s.type = 'index'`;
    expect((await collations.execute(queries)).rows).toEqual([
      { name: dialect === 'postgres' ? 'C' : 'BINARY' },
    ]);
  });
});

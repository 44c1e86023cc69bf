import { type Kysely, sql } from 'kysely';
import type { Dialect } from './database.ts';
import type { DerivedTables } from './derived-tables.ts';
import { type SchemaQueries, schemaDialect } from './migration.ts';

/** To be raised with every change of the derived tables or of what is written into them. */
export const derivedVersion = 1;

/** Of Postgres; on SQLite the store is a file of its own. */
export const derivedSchema = 'graph';

/** The version the store was made with; `undefined` where it was never made. */
export async function readDerivedVersion(
  queries: Kysely<DerivedTables>,
  dialect: Dialect,
): Promise<number | undefined> {
  const tables = await derivedNames(queries, dialect, 'table');
  if (!tables.includes('derived_version')) return undefined;
  const row = await queries.selectFrom('derived_version').select('version').executeTakeFirst();
  return row?.version;
}

/** Drops every view and table of the store, whoever made them, and makes those of this version. */
export async function makeDerivedAnew(
  tx: Kysely<DerivedTables>,
  dialect: Dialect,
  now: number,
): Promise<void> {
  if (dialect === 'postgres' && !(await schemaExists(tx)))
    await tx.schema.createSchema(derivedSchema).execute();
  for (const name of await derivedNames(tx, dialect, 'view'))
    await tx.schema.dropView(name).ifExists().execute();
  for (const name of await derivedNames(tx, dialect, 'table'))
    await tx.schema.dropTable(name).ifExists().execute();
  await createTables(tx as unknown as SchemaQueries, dialect);
  await tx.insertInto('derived_version').values({ version: derivedVersion, made_at: now }).execute();
}

async function createTables(db: SchemaQueries, dialect: Dialect): Promise<void> {
  const d = schemaDialect(dialect);
  await d
    .createTable(db, 'derived_version')
    .addColumn('version', d.int32, (c) => c.primaryKey())
    .addColumn('made_at', d.int64, (c) => c.notNull())
    .execute();
  await d
    .createTable(db, 'projection_marks')
    .addColumn('repository_id', d.text, (c) => c.primaryKey())
    .addColumn('commit_id', d.text, (c) => c.notNull())
    .addColumn('projected_at', d.int64, (c) => c.notNull())
    .execute();
}

/** Virtual tables first: with them go the tables they keep their content in. */
async function derivedNames(
  queries: Kysely<DerivedTables>,
  dialect: Dialect,
  kind: 'table' | 'view',
): Promise<readonly string[]> {
  const { rows } =
    dialect === 'postgres'
      ? await sql<{ name: string }>`
          select c.relname as name from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
          where n.nspname = ${derivedSchema} and c.relkind = ${kind === 'table' ? 'r' : 'v'}`.execute(queries)
      : await sql<{ name: string }>`
          select name from sqlite_schema where type = ${kind} and name not like 'sqlite\\_%' escape '\\'
          order by sql like 'create virtual%' desc`.execute(queries);
  return rows.map(({ name }) => name);
}

/** `create schema if not exists` asks for the right to create even where there is nothing to create. */
async function schemaExists(queries: Kysely<DerivedTables>): Promise<boolean> {
  const { rows } = await sql`
    select 1 from pg_catalog.pg_namespace where nspname = ${derivedSchema}`.execute(queries);
  return rows.length > 0;
}

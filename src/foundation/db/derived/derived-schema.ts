import { randomUUID } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import type { Dialect } from '../database.ts';
import { type SchemaQueries, schemaDialect } from '../migrations/migration.ts';
import type { DerivedTables } from './derived-tables.ts';
import { createGraphTables } from './graph-schema.ts';

/** Version of the derived tables. Increase it with every change of the tables or of the data written into them. */
export const derivedVersion = 3;

/** Schema of the derived tables on Postgres. On SQLite they are in a separate file. */
export const derivedSchema = 'graph';

/** Reads the version of the store; `undefined` if it was never created. */
export async function readDerivedVersion(
  queries: Kysely<DerivedTables>,
  dialect: Dialect,
): Promise<number | undefined> {
  const tables = await derivedNames(queries, dialect, 'table');
  if (!tables.includes('derived_version')) return undefined;
  const row = await queries.selectFrom('derived_version').select('version').executeTakeFirst();
  return row?.version;
}

/** Drops all views and tables of the store and creates those of this version. */
export async function recreateDerived(
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
  await tx
    .insertInto('derived_version')
    .values({ version: derivedVersion, made_at: now, store_id: randomUUID() })
    .execute();
}

async function createTables(db: SchemaQueries, dialect: Dialect): Promise<void> {
  const d = schemaDialect(dialect);
  await d
    .createTable(db, 'derived_version')
    .addColumn('version', d.int32, (c) => c.primaryKey())
    .addColumn('made_at', d.int64, (c) => c.notNull())
    .addColumn('store_id', d.text, (c) => c.notNull())
    .execute();
  await d
    .createTable(db, 'projection_marks')
    .addColumn('repository_id', d.text, (c) => c.primaryKey())
    .addColumn('commit_id', d.text, (c) => c.notNull())
    .addColumn('target', d.text)
    .addColumn('basis', d.text)
    .addColumn('rest', d.text)
    .addColumn('projected_at', d.int64, (c) => c.notNull())
    .execute();
  await createGraphTables(db, dialect);
}

/** Lists the tables or views, virtual tables first, because dropping one also drops the tables of its content. */
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

/**
 * Returns whether the schema exists. `create schema if not exists` requires the permission to create it even if it
 * exists.
 */
async function schemaExists(queries: Kysely<DerivedTables>): Promise<boolean> {
  const { rows } = await sql`
    select 1 from pg_catalog.pg_namespace where nspname = ${derivedSchema}`.execute(queries);
  return rows.length > 0;
}

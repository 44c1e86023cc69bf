import { randomUUID } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import type { Dialect } from '../database.ts';
import { type SchemaQueries, schemaDialect } from '../migrations/migration.ts';
import type { DerivedTables } from './derived-tables.ts';

/** The tables of one owner in the store of derived data. */
export interface DerivedSchema {
  readonly name: string;
  /** Increased with every change of the tables or of the data written into them. */
  readonly version: number;
  create(db: SchemaQueries, dialect: Dialect): Promise<void>;
}

/** The schema of the derived tables on Postgres. On SQLite they are in a separate file. */
export const postgresSchema = 'graph';

/** Returns the version of a store with the tables of these schemas. */
export function versionOf(schemas: readonly DerivedSchema[]): string {
  return schemas.map(({ name, version }) => `${name} ${version}`).join(', ');
}

/** Reads the version of the store; `undefined` if it was never created. */
export async function readDerivedVersion(
  queries: Kysely<DerivedTables>,
  dialect: Dialect,
): Promise<string | undefined> {
  const tables = await derivedNames(queries, dialect, 'table');
  if (!tables.includes('derived_version')) return undefined;
  const row = await queries.selectFrom('derived_version').select('version').executeTakeFirst();
  return row?.version;
}

/** Drops all views and tables of the store and creates those of the schemas. */
export async function recreateDerived(
  tx: Kysely<DerivedTables>,
  dialect: Dialect,
  schemas: readonly DerivedSchema[],
): Promise<void> {
  if (dialect === 'postgres' && !(await schemaExists(tx)))
    await tx.schema.createSchema(postgresSchema).execute();
  for (const name of await derivedNames(tx, dialect, 'view'))
    await tx.schema.dropView(name).ifExists().execute();
  for (const name of await derivedNames(tx, dialect, 'table'))
    await tx.schema.dropTable(name).ifExists().execute();
  const db = tx as unknown as SchemaQueries;
  await createVersion(db, dialect);
  for (const schema of schemas) await schema.create(db, dialect);
  await tx
    .insertInto('derived_version')
    .values({ version: versionOf(schemas), made_at: Date.now(), store_id: randomUUID() })
    .execute();
}

async function createVersion(db: SchemaQueries, dialect: Dialect): Promise<void> {
  const d = schemaDialect(dialect);
  await d
    .createTable(db, 'derived_version')
    .addColumn('version', d.text, (c) => c.primaryKey())
    .addColumn('made_at', d.int64, (c) => c.notNull())
    .addColumn('store_id', d.text, (c) => c.notNull())
    .execute();
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
          where n.nspname = ${postgresSchema} and c.relkind = ${kind === 'table' ? 'r' : 'v'}`.execute(
          queries,
        )
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
    select 1 from pg_catalog.pg_namespace where nspname = ${postgresSchema}`.execute(queries);
  return rows.length > 0;
}

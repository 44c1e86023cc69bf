import { sql } from 'kysely';
import type { Queries } from '../database.ts';
import { dialectOf } from '../dialect.ts';
import { type SchemaQueries, schemaDialect } from './migration.ts';

/** A row of `schema_migrations`: one applied migration. */
export interface AppliedMigration {
  readonly id: string;
  readonly checksum: string;
}

/** The table of the history, which is not part of `Tables` because the application does not use it. */
type HistoryTables = {
  schema_migrations: { id: string; checksum: string; applied_at: number; app_version: string };
};

/** Returns the applied migrations in order; empty if none was ever applied. */
export async function readHistory(queries: Queries): Promise<readonly AppliedMigration[]> {
  if (!(await listTables(queries)).includes('schema_migrations')) return [];
  return history(queries).selectFrom('schema_migrations').select(['id', 'checksum']).orderBy('id').execute();
}

export async function recordMigration(
  tx: Queries,
  row: AppliedMigration & { readonly appVersion: string; readonly now: number },
): Promise<void> {
  await history(tx)
    .insertInto('schema_migrations')
    .values({ id: row.id, checksum: row.checksum, applied_at: row.now, app_version: row.appVersion })
    .execute();
}

export async function createHistory(tx: Queries): Promise<void> {
  const d = schemaDialect(dialectOf(tx));
  await d
    .createTable(tx as unknown as SchemaQueries, 'schema_migrations')
    .ifNotExists()
    .addColumn('id', d.text, (c) => c.primaryKey())
    .addColumn('checksum', d.text, (c) => c.notNull())
    .addColumn('applied_at', d.int64, (c) => c.notNull())
    .addColumn('app_version', d.text, (c) => c.notNull())
    .execute();
}

/** Lists all tables of the database (on Postgres, of the connection's schema). */
export async function listTables(queries: Queries): Promise<readonly string[]> {
  const { rows } =
    dialectOf(queries) === 'postgres'
      ? await sql<{ name: string }>`
          select table_name as name from information_schema.tables where table_schema = current_schema()`.execute(
          queries,
        )
      : await sql<{ name: string }>`
          select name from sqlite_schema where type = 'table' and name not like 'sqlite\\_%' escape '\\'`.execute(
          queries,
        );
  return rows.map((row) => row.name);
}

function history(queries: Queries) {
  return queries.withTables<HistoryTables>();
}

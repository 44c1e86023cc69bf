import { sql } from 'kysely';
import type { Queries } from '../database.ts';
import { dialectOf } from '../dialect.ts';
import type { Migration } from './migration.ts';
import { listTables } from './schema-history.ts';

export type RowCounts = ReadonlyMap<string, number>;

/**
 * Counts the rows of every table. The counts are exact in a transaction with a snapshot: SQLite's, and Postgres's
 * from REPEATABLE READ on.
 */
export async function countRows(tx: Queries): Promise<RowCounts> {
  const counts = new Map<string, number>();
  for (const table of await listTables(tx)) {
    const { rows } = await sql<{ rows: number }>`select count(*) as rows from ${sql.table(table)}`.execute(
      tx,
    );
    counts.set(table, rows[0]?.rows ?? 0);
  }
  return counts;
}

/**
 * Checks the result of a migration before it is committed.
 * @throws Error if rows are missing from a table that the migration does not declare, or if a row has a dangling
 * reference
 */
export async function verifyMigration(
  tx: Queries,
  { id, takesRowsFrom = [] }: Migration,
  before: RowCounts,
): Promise<void> {
  const after = await countRows(tx);
  for (const [table, rows] of before) {
    const left = after.get(table) ?? 0;
    if (left < rows && !takesRowsFrom.includes(table)) {
      throw new Error(
        `Migration ${id} would lose ${rows - left} of ${rows} rows of ${table}: nothing was changed.`,
      );
    }
  }
  if (dialectOf(tx) === 'sqlite') await assertNoDanglingRows(tx, id);
}

/** Checks foreign keys on SQLite, which does not check them while a table is rebuilt. Postgres checks each change. */
async function assertNoDanglingRows(tx: Queries, id: string): Promise<void> {
  const { rows } = await sql<{ table: string; parent: string }>`
    select "table", parent from pragma_foreign_key_check limit 1`.execute(tx);
  const [first] = rows;
  if (first !== undefined) {
    throw new Error(
      `Migration ${id} leaves rows of ${first.table} that refer to no row of ${first.parent}: nothing was changed.`,
    );
  }
}

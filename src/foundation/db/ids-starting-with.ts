import { sql } from 'kysely';
import type { Queries } from './database.ts';
import type { Tables } from './tables.ts';

/**
 * Returns ids of a table that start with a text of hexadecimal digits and hyphens, at most `max`; none for any other
 * text. For the host only: it is not limited to an organization.
 */
export async function idsStartingWith(
  queries: Queries,
  table: keyof Tables,
  start: string,
  max: number,
): Promise<readonly string[]> {
  if (!/^[0-9a-f-]{1,36}$/.test(start)) return [];
  const found = await sql<{ readonly id: string }>`
    select id from ${sql.table(table)} where id like ${`${start}%`} order by id limit ${max}`.execute(
    queries,
  );
  return found.rows.map(({ id }) => id);
}

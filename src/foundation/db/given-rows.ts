import { type RawBuilder, sql } from 'kysely';
import type { Dialect } from './database.ts';
import { refuseNul } from './refuse-nul.ts';

type Value = string | number | null;

/** Returns texts as the list of `in`, one parameter of a statement, whose text does not depend on their number. */
export function givenValues(dialect: Dialect, values: readonly string[]): RawBuilder<string> {
  if (dialect === 'postgres') return sql`(select unnest(${values}::text[]))`;
  refuseNul(values);
  return sql`(select value from json_each(${JSON.stringify(values)}))`;
}

/**
 * Returns rows of values as a table `given` for the `from` clause of a statement, whose text does not depend on the
 * number of rows. Numbers are integers up to 2^53.
 */
export function givenRows<Column extends string>(
  dialect: Dialect,
  columns: Readonly<Record<Column, 'text' | 'bigint'>>,
  rows: readonly Readonly<Record<Column, Value>>[],
): RawBuilder<unknown> {
  const names = Object.keys(columns) as Column[];
  if (dialect === 'sqlite') {
    // JSON hides a NUL of a text from the check of all statements.
    for (const row of rows) refuseNul(Object.values(row));
    const read = names.map((name, index) => sql`value ->> ${sql.lit(index)} as ${sql.ref(name)}`);
    const values = JSON.stringify(rows.map((row) => names.map((name) => row[name])));
    return sql`(select ${sql.join(read)} from json_each(${values})) as given`;
  }
  const arrays = names.map((name) => sql`${rows.map((row) => row[name])}::${sql.raw(columns[name])}[]`);
  return sql`unnest(${sql.join(arrays)}) as given(${sql.join(names.map((name) => sql.ref(name)))})`;
}

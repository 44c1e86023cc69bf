import { isDeepStrictEqual } from 'node:util';
import { type Compilable, CompiledQuery, type RawBuilder, sql } from 'kysely';
import type { Dialect, Queries } from './database.ts';
import { dialectOf } from './dialect.ts';

/** Maximum number of rows of one statement; a power of two. */
const maxRows = 64;

/**
 * Returns a function that inserts any number of rows. Building the text of such a statement takes longer than running
 * it, so texts are built once per dialect and number of rows. The numbers are powers of two: few texts, which SQLite
 * keeps prepared in little memory. A column that a row lacks is null.
 * @param build the statement for rows with `columns`; it must have no other parameters
 */
export function preparedInsert<Row extends object>(
  columns: readonly (keyof Row & string)[],
  build: (queries: Queries, rows: readonly Row[]) => Compilable,
): (queries: Queries, rows: readonly Row[]) => Promise<void> {
  const texts = new Map<`${Dialect} ${number}`, string>();

  function textFor(queries: Queries, count: number): string {
    const key = `${dialectOf(queries)} ${count}` as const;
    const known = texts.get(key);
    if (known !== undefined) return known;
    // Each value is replaced by the name of its column, so that the built query shows their order.
    const marked = Object.fromEntries(columns.map((column) => [column, column])) as Row;
    const rows = Array.from({ length: count }, () => marked);
    const query = build(queries, rows).compile();
    const expected = rows.flatMap(() => columns);
    if (!isDeepStrictEqual(query.parameters, expected))
      throw new Error('A prepared insert has other parameters than the columns of its rows.');
    texts.set(key, query.sql);
    return query.sql;
  }

  return async (queries, rows) => {
    let first = 0;
    while (first < rows.length) {
      const count = Math.min(maxRows, 2 ** Math.floor(Math.log2(rows.length - first)));
      const slice = rows.slice(first, first + count);
      const parameters = slice.flatMap((row) => columns.map((column) => row[column] ?? null));
      await queries.executeQuery(CompiledQuery.raw(textFor(queries, count), parameters));
      first += count;
    }
  };
}

/** Returns the values of an update that takes the columns from the row that was not inserted. */
export function fromNewRow<Column extends string>(
  columns: readonly Column[],
): Readonly<Record<Column, RawBuilder<never>>> {
  const values = columns.map((column) => [column, sql<never>`${sql.ref(`excluded.${column}`)}`]);
  return Object.fromEntries(values) as Record<Column, RawBuilder<never>>;
}

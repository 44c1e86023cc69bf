import type { Compilable, CompiledQuery } from 'kysely';
import type { Dialect, Queries } from './database.ts';
import { dialectOf } from './dialect.ts';

interface Prepared<Row> {
  readonly query: CompiledQuery<Row>;
  /** Names of the parameters, in the order of the text. */
  readonly names: readonly string[];
}

/**
 * Returns a function for a query with a constant text, for the queries of every request. The text is built once per
 * dialect; a call only fills in the parameters. Building the text of a join takes longer than running it.
 */
export function preparedQuery<Name extends string, Row>(
  names: readonly Name[],
  build: (queries: Queries, parameters: Readonly<Record<Name, string>>) => Compilable<Row>,
): (queries: Queries, values: Readonly<Record<Name, string>>) => Promise<readonly Row[]> {
  const prepared: Partial<Record<Dialect, Prepared<Row>>> = {};
  const prepare = (queries: Queries): Prepared<Row> => {
    // Each parameter is replaced by its name, so that the built query shows their order.
    const marks = {} as Record<Name, string>;
    for (const name of names) marks[name] = name;
    const query = build(queries, marks).compile();
    return { query, names: query.parameters.map(String) };
  };
  return async (queries, values) => {
    const dialect = dialectOf(queries);
    const { query, names: places } = (prepared[dialect] ??= prepare(queries));
    const parameters = places.map((name) => values[name as Name]);
    const result = await queries.executeQuery<Row>({ ...query, parameters });
    return result.rows;
  };
}

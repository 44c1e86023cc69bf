import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Dialect } from '../../../foundation/db/database.ts';
import { postgresSchema } from '../../../foundation/db/derived/derived-schema.ts';
import type { DerivedTables } from '../../../foundation/db/derived/derived-tables.ts';
import type { DerivedDatabase } from '../../../foundation/db/derived/open-derived.ts';

const names = [
  'organizations',
  'texts',
  'units',
  'nodes',
  'node_facts',
  'edges',
  'mentions',
  'outbox',
  'terms',
] as const;

/** The names of the tables in statements; on Postgres with the schema. */
export type GraphTables = Readonly<Record<(typeof names)[number], RawBuilder<unknown>>>;

/** A connection or a transaction on the graph. */
export interface GraphQueries {
  readonly queries: Kysely<DerivedTables>;
  readonly dialect: Dialect;
  /** The version of the tables that this program expects. */
  readonly version: string;
  readonly tables: GraphTables;
}

/** Returns what reads and writes the graph on the connection of the database, or in a transaction on it. */
export function graphQueries(
  { queries: connection, dialect, version }: DerivedDatabase,
  queries = connection,
): GraphQueries {
  return { queries, dialect, version, tables: graphTables(dialect) };
}

/**
 * Returns the names of the tables of a dialect.
 * @internal Exported for the dump of the graph in tests.
 */
export function graphTables(dialect: Dialect): GraphTables {
  const prefix = dialect === 'postgres' ? `${postgresSchema}.graph_` : 'graph_';
  return Object.fromEntries(
    names.map((name) => [name, sql.raw(`${prefix}${name}`)]),
  ) as unknown as GraphTables;
}

/** Returns numbers as a table `given` with the column `id`, in their order. */
export function givenIds(dialect: Dialect, ids: readonly number[]): RawBuilder<unknown> {
  return dialect === 'sqlite'
    ? sql`(select value as id from json_each(${JSON.stringify(ids)})) as given`
    : sql`unnest(${[...ids]}::bigint[]) as given(id)`;
}

/** Returns the number of an organization as an expression; null before it has facts. */
export function organizationNumber(tables: GraphTables, organizationId: string): RawBuilder<unknown> {
  return sql`(select id from ${tables.organizations} where org_id = ${organizationId})`;
}

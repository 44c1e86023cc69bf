import { sql } from 'kysely';
import { givenRows } from '../../../foundation/db/given-rows.ts';
import type { GraphQueries, GraphTables } from './graph-tables.ts';

/** A table whose rows a batch compares and writes. The columns of `key` identify a row. */
interface RowTable {
  readonly table: keyof GraphTables;
  readonly key: readonly string[];
  readonly values: readonly string[];
}

type Row = Readonly<Record<string, string | number | null>>;

const reason = ['reason', 'line', 'confidence'];

export const rowTables = {
  units: { table: 'units', key: ['id'], values: ['repository', 'revision'] },
  facts: { table: 'node_facts', key: ['unit_id', 'node_id'], values: ['shape', 'content'] },
  edges: { table: 'edges', key: ['src', 'kind', 'dst', 'unit_id', 'mention'], values: reason },
  mentions: { table: 'mentions', key: ['alias_id', 'unit_id', 'src', 'kind'], values: reason },
} as const satisfies Readonly<Record<string, RowTable>>;

const textColumns = new Set(['content', 'revision']);

export interface Difference<Changed> {
  readonly removed: readonly Changed[];
  /** Rows that are new or changed. */
  readonly written: readonly Changed[];
  /** The stored rows that `written` replaces. */
  readonly replaced: readonly Changed[];
}

/** Compares the stored rows with the wanted ones, so that unchanged rows cost no write. */
export function difference<Changed extends Row>(
  { key, values }: RowTable,
  stored: readonly Changed[],
  wanted: readonly Changed[],
): Difference<Changed> {
  // The facts of a new unit: nothing is stored that they could be equal to.
  if (stored.length === 0) return { removed: [], written: wanted, replaced: [] };
  const identity = (row: Changed): string => key.map((column) => row[column]).join(' ');
  const before = new Map(stored.map((row) => [identity(row), row]));
  const [written, replaced]: [Changed[], Changed[]] = [[], []];
  for (const row of wanted) {
    const id = identity(row);
    const known = before.get(id);
    before.delete(id);
    if (known !== undefined && values.every((column) => known[column] === row[column])) continue;
    written.push(row);
    if (known !== undefined) replaced.push(known);
  }
  return { removed: [...before.values()], written, replaced };
}

export async function deleteRows(
  { queries, dialect, tables }: GraphQueries,
  { table, key }: RowTable,
  rows: readonly Row[],
): Promise<void> {
  if (rows.length === 0) return;
  const names = sql.join(key.map((name) => sql.ref(name)));
  await sql`delete from ${tables[table]} where (${names}) in (
    select ${names} from ${givenRows(dialect, typesOf(key), rows)})`.execute(queries);
}

/** Inserts rows, or gives stored ones with the same key other values. */
export async function putRows(
  { queries, dialect, tables }: GraphQueries,
  { table, key, values }: RowTable,
  rows: readonly Row[],
): Promise<void> {
  if (rows.length === 0) return;
  const names = sql.join([...key, ...values].map((name) => sql.ref(name)));
  const changes = values.map((name) => sql`${sql.ref(name)} = ${sql.ref(`excluded.${name}`)}`);
  await sql`
    insert into ${tables[table]} (${names})
    select ${names} from ${givenRows(dialect, typesOf([...key, ...values]), rows)} where true
    on conflict (${sql.join(key.map((name) => sql.ref(name)))}) do update set ${sql.join(changes)}`.execute(
    queries,
  );
}

function typesOf(columns: readonly string[]): Readonly<Record<string, 'text' | 'bigint'>> {
  return Object.fromEntries(columns.map((name) => [name, textColumns.has(name) ? 'text' : 'bigint']));
}

import { sql } from 'kysely';
import type { Queries } from '../../../src/foundation/db/database.ts';
import { dialectOf } from '../../../src/foundation/db/dialect.ts';

/** A table in terms that both dialects share. */
export interface TableDump {
  /** Types by column: `integer`, `text` or `bytes`, with `not null` if it applies. */
  readonly columns: Readonly<Record<string, string>>;
  readonly primaryKey: readonly string[];
  /** Unique constraints, each as its columns. */
  readonly unique: readonly string[];
  /** `column -> table.column on delete …`; several columns are separated by commas. */
  readonly foreignKeys: readonly string[];
  /** `[unique] name on columns where predicate`, for explicitly created indexes. */
  readonly indexes: readonly string[];
}

export type SchemaDump = Readonly<Record<string, TableDump>>;

/** Returns the schema of a database, normalised so that both dialects can be compared. */
export async function dumpSchema(queries: Queries): Promise<SchemaDump> {
  const parts = dialectOf(queries) === 'postgres' ? postgres(queries) : sqlite(queries);
  const [columns, keys, foreignKeys, indexes] = [
    await parts.columns(),
    await parts.keys(),
    await parts.foreignKeys(),
    await parts.indexes(),
  ];
  const tables = [...new Set(columns.map(({ table }) => table))].toSorted();
  return Object.fromEntries(
    tables.map((name) => {
      const of = <Row extends { readonly table: string }>(rows: readonly Row[]) =>
        rows.filter(({ table }) => table === name);
      const own: TableDump = {
        columns: Object.fromEntries(
          of(columns).map((column) => [
            column.name,
            `${typeClass(column.type)}${column.required ? ' not null' : ''}`,
          ]),
        ),
        primaryKey: of(keys).flatMap(({ kind, columns: named }) => (kind === 'primary' ? named : [])),
        unique: texts(
          of(keys).flatMap(({ kind, columns: named }) => (kind === 'unique' ? [named.join(', ')] : [])),
        ),
        foreignKeys: texts(of(foreignKeys).map(({ text }) => text)),
        indexes: texts(of(indexes).map(({ text }) => normalized(text))),
      };
      return [name, own];
    }),
  );
}

interface Parts {
  columns(): Promise<readonly { table: string; name: string; type: string; required: boolean }[]>;
  keys(): Promise<readonly { table: string; kind: 'primary' | 'unique'; columns: readonly string[] }[]>;
  foreignKeys(): Promise<readonly { table: string; text: string }[]>;
  indexes(): Promise<readonly { table: string; text: string }[]>;
}

function sqlite(queries: Queries): Parts {
  const tables = sql`(select name from sqlite_schema where type = 'table' and name not like 'sqlite\\_%' escape '\\')`;
  return {
    async columns() {
      const { rows } = await sql<{ table: string; name: string; type: string; required: number; pk: number }>`
        select t.name as "table", c.name, c.type, c."notnull" as required, c.pk
        from ${tables} t, pragma_table_info(t.name) c`.execute(queries);
      return rows.map((row) => ({ ...row, required: row.required === 1 || row.pk > 0 }));
    },
    async keys() {
      const primary = await sql<{ table: string; columns: string }>`
        select "table", group_concat(name, ',') as columns from (
          select t.name as "table", c.name from ${tables} t, pragma_table_info(t.name) c where c.pk > 0
          order by t.name, c.pk) group by "table"`.execute(queries);
      const unique = await sql<{ table: string; columns: string }>`
        select "table", group_concat(name, ',') as columns from (
          select t.name as "table", l.name as key, c.name from ${tables} t, pragma_index_list(t.name) l,
            pragma_index_info(l.name) c where l.origin = 'u' order by l.name, c.seqno)
        group by "table", key`.execute(queries);
      return [
        ...primary.rows.map((row) => ({
          table: row.table,
          kind: 'primary' as const,
          columns: row.columns.split(','),
        })),
        ...unique.rows.map((row) => ({
          table: row.table,
          kind: 'unique' as const,
          columns: row.columns.split(','),
        })),
      ];
    },
    async foreignKeys() {
      const { rows } = await sql<Record<'table' | 'from' | 'parent' | 'to' | 'deletes' | 'updates', string>>`
        select "table", group_concat("from", ',') as "from", parent, group_concat("to", ',') as "to", deletes, updates
        from (select t.name as "table", f.id as key, f."from", f."table" as parent, f."to",
            lower(f.on_delete) as deletes, lower(f.on_update) as updates
          from ${tables} t, pragma_foreign_key_list(t.name) f order by t.name, f.id, f.seq)
        group by "table", key, parent, deletes, updates`.execute(queries);
      return rows.map((row) => ({ table: row.table, text: reference(row) }));
    },
    async indexes() {
      const { rows } = await sql<{ table: string; text: string }>`
        select tbl_name as "table", sql as text from sqlite_schema where type = 'index' and sql is not null`.execute(
        queries,
      );
      return rows;
    },
  };
}

function postgres(queries: Queries): Parts {
  const here = sql`connamespace = current_schema()::regnamespace`;
  const columnsOf = sql`(select array_agg(a.attname::text order by k.place) from unnest(conkey) with ordinality
    k(number, place) join pg_attribute a on a.attrelid = conrelid and a.attnum = k.number)`;
  return {
    async columns() {
      const { rows } = await sql<{ table: string; name: string; type: string; required: boolean }>`
        select table_name as "table", column_name as name, data_type as type, is_nullable = 'NO' as required
        from information_schema.columns where table_schema = current_schema()
        order by table_name, ordinal_position`.execute(queries);
      return rows;
    },
    async keys() {
      const { rows } = await sql<{ table: string; kind: 'primary' | 'unique'; columns: readonly string[] }>`
        select conrelid::regclass::text as "table", case contype when 'p' then 'primary' else 'unique' end as kind,
          ${columnsOf} as columns from pg_constraint where contype in ('p', 'u') and ${here}`.execute(
        queries,
      );
      return rows;
    },
    async foreignKeys() {
      const action = (column: string) =>
        sql`case ${sql.ref(column)} when 'a' then 'no action' when 'c' then 'cascade' when 'r' then 'restrict'
          when 'n' then 'set null' else 'set default' end`;
      const { rows } = await sql<Record<'table' | 'from' | 'parent' | 'to' | 'deletes' | 'updates', string>>`
        select conrelid::regclass::text as "table", array_to_string(${columnsOf}, ',') as "from",
          confrelid::regclass::text as parent, (select string_agg(a.attname, ',' order by k.place) from unnest(confkey)
          with ordinality k(number, place) join pg_attribute a on a.attrelid = confrelid and a.attnum = k.number) as "to", ${action('confdeltype')} as deletes, ${action('confupdtype')} as updates
        from pg_constraint where contype = 'f' and ${here}`.execute(queries);
      return rows.map((row) => ({ table: row.table, text: reference(row) }));
    },
    async indexes() {
      const { rows } = await sql<{ table: string; text: string }>`
        select tablename as "table", indexdef as text from pg_indexes where schemaname = current_schema()
          and indexname not in (select conname from pg_constraint)`.execute(queries);
      return rows;
    },
  };
}

function reference(row: Readonly<Record<'from' | 'parent' | 'to' | 'deletes' | 'updates', string>>): string {
  return `${row.from} -> ${row.parent}.${row.to} on delete ${row.deletes} on update ${row.updates}`;
}

/** Maps a type to its class, because bigint and integer hold the same values on SQLite. */
function typeClass(type: string): string {
  const known: Readonly<Record<string, string>> = { bigint: 'integer', bytea: 'bytes', blob: 'bytes' };
  return known[type.toLowerCase()] ?? type.toLowerCase();
}

/** Normalises an index definition: the dialects differ in quotes, casts, parentheses and the default order. */
function normalized(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/"|::text|using btree|public\.| asc\b/g, '')
    .replaceAll(/[()]/g, ' ')
    .replaceAll(/\s*,\s*/g, ', ')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

function texts(values: readonly string[]): readonly string[] {
  return values.toSorted();
}

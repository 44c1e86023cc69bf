import { type ColumnDataType, type CreateTableBuilder, type Kysely, type RawBuilder, sql } from 'kysely';
import type { Dialect } from '../database.ts';

/** One change of the schema. Written once for both dialects, never edited after its release, never undone. */
export interface Migration {
  /** The name of its file, `0001-name`. Migrations are applied in the order of their ids. */
  readonly id: string;
  /**
   * Tables that it deletes rows from on purpose, or drops. No other table may lose rows: on SQLite, dropping a table to
   * rebuild it also deletes the rows that refer to it.
   */
  readonly takesRowsFrom?: readonly string[];
  up(db: SchemaQueries, d: SchemaDialect): Promise<void>;
}

/** Untyped queries: a migration sees the tables of its own time, not those of `Tables`. */
export type SchemaQueries = Kysely<unknown>;

/** Migrations in order. */
export interface MigrationSet {
  readonly list: readonly Migration[];
  /** The checksums of released migrations by id. A migration without one is not released yet and may still change. */
  readonly checksums: Readonly<Record<string, Readonly<Record<Dialect, string>>>>;
}

type ColumnType = ColumnDataType | RawBuilder<unknown>;

/** The few differences between the schemas of the two dialects. */
export interface SchemaDialect {
  /** Text, ordered by bytes on both: Postgres would order by the locale of its host. */
  readonly text: ColumnType;
  /** Milliseconds since the epoch and byte counts. */
  readonly int64: ColumnType;
  /** Counters, and booleans as 0 and 1. */
  readonly int32: ColumnType;
  /** JSON is stored as text: the drivers return different values for JSON columns. */
  readonly json: ColumnType;
  /** Content of files. */
  readonly bytes: ColumnType;
  /**
   * A table with an explicit primary key. On SQLite it is STRICT, so that it refuses a value of the wrong type as
   * Postgres does, and WITHOUT ROWID, so that a look-up by a text key takes one search instead of two.
   */
  createTable(db: SchemaQueries, name: string): CreateTableBuilder<string>;
  /** A table whose primary key the database counts. A number is never reused, not even after a deletion. */
  createNumberedTable(db: SchemaQueries, name: string, column: string): CreateTableBuilder<string>;
}

export function schemaDialect(dialect: Dialect): SchemaDialect {
  return dialect === 'sqlite' ? sqlite : postgres;
}

const sqlite: SchemaDialect = {
  text: 'text',
  int64: 'integer',
  int32: 'integer',
  json: 'text',
  bytes: 'blob',
  createTable: (db, name) => db.schema.createTable(name).modifyEnd(sql`strict, without rowid`),
  createNumberedTable: (db, name, column) =>
    db.schema
      .createTable(name)
      .modifyEnd(sql`strict`)
      .addColumn(column, 'integer', (c) => c.primaryKey().autoIncrement()),
};

const postgres: SchemaDialect = {
  text: sql`text collate "C"`,
  int64: 'bigint',
  int32: 'integer',
  json: 'text',
  bytes: 'bytea',
  createTable: (db, name) => db.schema.createTable(name),
  createNumberedTable: (db, name, column) =>
    db.schema
      .createTable(name)
      .addColumn(column, 'integer', (c) => c.generatedAlwaysAsIdentity().primaryKey()),
};

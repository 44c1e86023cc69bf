import { type ColumnDataType, type CreateTableBuilder, type Kysely, type RawBuilder, sql } from 'kysely';
import type { Dialect } from './database.ts';

/** One step of the schema. Written once for both dialects, never edited after a release, never undone. */
export interface Migration {
  /** `0001-name`: the file's name, applied in this order. */
  readonly id: string;
  /**
   * Tables that it takes rows from on purpose, or drops. From every other table that was there before, none may be
   * missing afterwards: on SQLite, dropping a table to build it anew takes the rows that refer to it along.
   */
  readonly takesRowsFrom?: readonly string[];
  up(db: SchemaQueries, d: SchemaDialect): Promise<void>;
}

/** A migration sees whatever tables its time had, so the queries know none by type. */
export type SchemaQueries = Kysely<unknown>;

/** Migrations in order, with the pinned checksum of each. */
export interface MigrationSet {
  readonly list: readonly Migration[];
  readonly checksums: Readonly<Record<string, Readonly<Record<Dialect, string>>>>;
}

type ColumnType = ColumnDataType | RawBuilder<unknown>;

/** The few places where the two schemas are spelled differently. */
export interface SchemaDialect {
  /** Text, ordered by bytes on both: Postgres would order by the language of its host. */
  readonly text: ColumnType;
  /** Milliseconds since the epoch and byte counts. */
  readonly int64: ColumnType;
  /** Counters, and booleans as 0 and 1. */
  readonly int32: ColumnType;
  /** JSON is kept as text: the drivers disagree about what they give back. */
  readonly json: ColumnType;
  /** Content of files. */
  readonly bytes: ColumnType;
  /**
   * A table with a primary key of its own. On SQLite it is STRICT, so that it refuses a value of the wrong type as
   * Postgres does, and WITHOUT ROWID: a look-up by a text key then takes one search instead of two.
   */
  createTable(db: SchemaQueries, name: string): CreateTableBuilder<string>;
  /** A table whose primary key the database counts; a number is never given twice, not even after a deletion. */
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

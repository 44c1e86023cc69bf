import { createHash } from 'node:crypto';
import {
  type CompiledQuery,
  DummyDriver,
  Kysely,
  type Dialect as KyselyDialect,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import type { Dialect } from '../database.ts';
import { type Migration, schemaDialect } from './migration.ts';

/** SHA-256, in hex, of the statements the migration runs on an empty database of the dialect. */
export async function migrationChecksum(migration: Migration, dialect: Dialect): Promise<string> {
  const hash = createHash('sha256');
  const db = new Kysely<unknown>({
    dialect: compilingOnly[dialect],
    log: ({ query }) => void hash.update(statement(query)),
  });
  await migration.up(db, schemaDialect(dialect));
  return hash.digest('hex');
}

function statement({ sql, parameters }: CompiledQuery): string {
  return `${sql}\0${JSON.stringify(parameters)}\n`;
}

const compilingOnly: Record<Dialect, KyselyDialect> = {
  sqlite: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
  postgres: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
};

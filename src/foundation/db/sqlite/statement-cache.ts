import type BetterSqlite3 from 'better-sqlite3';
import type { SqliteDatabase, SqliteStatement } from 'kysely';

/** Maximum number of cached statements. The program has about a hundred texts, and lists of values add a few more. */
const capacity = 500;

/**
 * Wraps a connection for Kysely and caches prepared statements: preparing a look-up by key costs several times as
 * much as running it. SQLite itself prepares a statement again when the schema has changed.
 */
export function withStatementCache(connection: BetterSqlite3.Database): SqliteDatabase {
  const statements = new Map<string, SqliteStatement>();
  return {
    close: () => connection.close(),
    prepare: (text) => {
      const known = statements.get(text);
      if (known !== undefined) return known;
      const statement = connection.prepare(text);
      const oldest = statements.size < capacity ? undefined : statements.keys().next().value;
      if (oldest !== undefined) statements.delete(oldest);
      statements.set(text, statement);
      return statement;
    },
  };
}

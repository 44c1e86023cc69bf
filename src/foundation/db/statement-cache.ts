import type BetterSqlite3 from 'better-sqlite3';
import type { SqliteDatabase, SqliteStatement } from 'kysely';

/** Texts kept; the program has about a hundred, and lists of values make a few more. */
const capacity = 500;

/**
 * The connection as Kysely uses it, with statements prepared once: preparing a look-up by key costs several times
 * what running it does. SQLite prepares a statement anew by itself when the schema has changed.
 */
export function cachingStatements(connection: BetterSqlite3.Database): SqliteDatabase {
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

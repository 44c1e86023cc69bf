import { chmodSync, closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import {
  CompiledQuery,
  type DatabaseConnection,
  type SqliteDatabase,
  SqliteDialect,
  SqliteDriver,
} from 'kysely';
import { NotConfigured } from '../config/config-error.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Database } from './database.ts';
import { kyselyDatabase } from './kysely-database.ts';
import { cachingStatements } from './statement-cache.ts';
import { watchCommits } from './watch-commits.ts';

type Connection = BetterSqlite3.Database;

/** Each is set, never assumed: better-sqlite3 lowers synchronous to NORMAL in WAL mode by itself. */
const pragmas = [
  'journal_mode = WAL',
  'synchronous = FULL',
  'busy_timeout = 5000',
  'foreign_keys = ON',
  'temp_store = MEMORY',
  'cache_size = -16000',
  'journal_size_limit = 67108864',
  'wal_autocheckpoint = 1000',
  'trusted_schema = OFF',
];

/** How long closing waits for readers of other processes before it leaves them the log file. */
const closingTimeoutMs = 500;

export async function openSqlite(file: string, log: Logger): Promise<Database> {
  const connection = openFile(file);
  const watch = watchCommits(() => new BetterSqlite3(file, { readonly: true }));
  return kyselyDatabase(
    {
      dialect: 'sqlite',
      kysely: new ImmediateSqliteDialect(cachingStatements(connection)),
      subscribe: (_channel, onNews) => watch.subscribe(onNews),
      committed: () => watch.check(),
      closing: async () => {
        watch.close();
        connection.pragma(`busy_timeout = ${closingTimeoutMs}`);
        connection.pragma('wal_checkpoint(TRUNCATE)');
      },
    },
    log,
  );
}

function openFile(file: string): Connection {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    // Made before SQLite sees it: its journal files take the mode of the database file.
    closeSync(openSync(file, 'a', 0o600));
    chmodSync(file, 0o600);
    const connection = new BetterSqlite3(file);
    for (const pragma of pragmas) connection.pragma(pragma);
    assertDurable(connection);
    return connection;
  } catch (cause) {
    throw new NotConfigured(
      `Cannot use ${file} as the SQLite database: ${reason(cause)}. Correct DATABASE_URL or DATA_DIR.`,
      { cause },
    );
  }
}

function assertDurable(connection: Connection): void {
  const mode = connection.pragma('journal_mode', { simple: true });
  const synchronous = connection.pragma('synchronous', { simple: true });
  if (mode !== 'wal' || synchronous !== 2) {
    throw new Error(`journal_mode is ${String(mode)} and synchronous ${String(synchronous)}, not wal and 2`);
  }
}

function reason(cause: unknown): string {
  return cause instanceof Error ? cause.message.replace(/\.$/, '') : 'it cannot be opened';
}

/**
 * Kysely begins deferred transactions. A deferred one that reads and then writes fails with SQLITE_BUSY at once
 * when another process wrote in between, whatever busy_timeout says; an immediate one waits for its turn.
 */
class ImmediateSqliteDialect extends SqliteDialect {
  readonly #database: SqliteDatabase;

  constructor(database: SqliteDatabase) {
    super({ database });
    this.#database = database;
  }

  override createDriver(): SqliteDriver {
    return new ImmediateSqliteDriver({ database: this.#database });
  }
}

class ImmediateSqliteDriver extends SqliteDriver {
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'));
  }
}

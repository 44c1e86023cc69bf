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
import { errorCode } from '../kernel/error-code.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Database } from './database.ts';
import type { DerivedTables } from './derived-tables.ts';
import { describeWeakness, readDurability } from './durability.ts';
import { kyselyDatabase } from './kysely-database.ts';
import { networkFileSystem } from './network-file-system.ts';
import { cachingStatements } from './statement-cache.ts';
import type { Tables } from './tables.ts';
import { watchCommits } from './watch-commits.ts';

type Connection = BetterSqlite3.Database;

/** Each is set, never assumed: better-sqlite3 lowers synchronous to NORMAL in WAL mode by itself. */
const pragmasOfBoth = [
  'journal_mode = WAL',
  'busy_timeout = 5000',
  'foreign_keys = ON',
  'temp_store = MEMORY',
  'journal_size_limit = 67108864',
  'trusted_schema = OFF',
];

const pragmasOfTruth = [
  ...pragmasOfBoth,
  'synchronous = FULL',
  'cache_size = -16000',
  'wal_autocheckpoint = 1000',
];

/**
 * Derived data is written in bulk and can be made again. So a commit does not wait for the disk: after a power cut the
 * last ones are missing, marks and facts alike, and the file is whole. Room for what a walk through a graph reads again
 * and again, and a log of 16 MB before a bulk write has to stop and copy it into the file.
 */
const pragmasOfDerived = [
  ...pragmasOfBoth,
  'synchronous = NORMAL',
  'cache_size = -64000',
  'mmap_size = 268435456',
  'wal_autocheckpoint = 4000',
];

/** How long closing waits for readers of other processes before it leaves them the log file. */
const closingTimeoutMs = 500;

export async function openSqlite(file: string, log: Logger): Promise<Database> {
  const remedy = 'Correct DATABASE_URL or DATA_DIR.';
  const database = openFile<Tables>(
    file,
    { pragmas: pragmasOfTruth, what: 'the SQLite database', remedy },
    log,
  );
  const weakness = describeWeakness(await readDurability(database.queries));
  if (weakness !== '') {
    await database.close();
    throw new NotConfigured(`${file} would lose acknowledged work: ${weakness}. ${remedy}`);
  }
  const network = await networkFileSystem(dirname(file));
  if (network !== undefined) {
    log.warn(
      { file },
      `SQLite on ${network} may be damaged: put the database on a local disk, or use Postgres`,
    );
  }
  return database;
}

/** For `openDerived`. */
export async function openDerivedSqlite(file: string, log: Logger): Promise<Database<DerivedTables>> {
  const remedy = 'What it holds is made again: stop orgctx and remove it.';
  return openFile(file, { pragmas: pragmasOfDerived, what: 'the store of derived data', remedy }, log);
}

interface Purpose {
  readonly pragmas: readonly string[];
  readonly what: string;
  readonly remedy: string;
}

function openFile<Schema>(file: string, purpose: Purpose, log: Logger): Database<Schema> {
  const connection = connect(file, purpose);
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

function connect(file: string, { pragmas, what, remedy }: Purpose): Connection {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    makeFile(file);
    chmodSync(file, 0o600);
    const connection = new BetterSqlite3(file);
    for (const pragma of pragmas) connection.pragma(pragma);
    return connection;
  } catch (cause) {
    throw new NotConfigured(`Cannot use ${file} as ${what}: ${reason(cause)}. ${remedy}`, { cause });
  }
}

/**
 * Made before SQLite sees it: its journal files take the mode of the database file. One that exists is not opened:
 * where this process has it open already, closing it again would drop that connection's locks (POSIX).
 */
function makeFile(file: string): void {
  try {
    closeSync(openSync(file, 'ax', 0o600));
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
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

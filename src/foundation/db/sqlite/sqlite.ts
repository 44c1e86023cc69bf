import { chmodSync, closeSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { NotConfigured } from '../../config/config-error.ts';
import { makeDataFolder } from '../../config/make-data-folder.ts';
import { errorCode } from '../../kernel/error-code.ts';
import { explainDiskFull } from '../../kernel/errors.ts';
import type { Logger } from '../../telemetry/logger.ts';
import type { Database, SqliteOptions } from '../database.ts';
import type { DerivedTables } from '../derived/derived-tables.ts';
import { kyselyDatabase } from '../kysely-database.ts';
import type { Tables } from '../tables.ts';
import { watchCommits } from '../watch-commits.ts';
import { describeWeakness, readDurability } from './durability.ts';
import { networkFileSystem } from './network-file-system.ts';
import { WaitingSqliteDialect } from './sqlite-dialect.ts';
import { truncateLog } from './sqlite-wal.ts';

type Connection = BetterSqlite3.Database;

/**
 * Pragmas of both files. All are set explicitly: better-sqlite3 lowers synchronous to NORMAL in WAL mode by itself.
 */
const commonPragmas = [
  'journal_mode = WAL',
  // Only the first pragma may wait for another process that creates the file. Then WaitingSqliteDialect waits.
  'busy_timeout = 0',
  'foreign_keys = ON',
  'temp_store = MEMORY',
  'journal_size_limit = 67108864',
  'trusted_schema = OFF',
];

const primaryPragmas = [
  ...commonPragmas,
  'synchronous = FULL',
  'cache_size = -16000',
  'wal_autocheckpoint = 1000',
];

/**
 * Pragmas for derived data, which is written in bulk and can be rebuilt. A commit does not wait for the disk: after a
 * power failure the last commits are missing, marks and facts alike, and the file is consistent. The cache is larger,
 * for repeated reads of graph traversals, and the log may grow to 16 MB before a bulk write must copy it into the
 * file.
 */
const derivedPragmas = [
  ...commonPragmas,
  'synchronous = NORMAL',
  'cache_size = -64000',
  'mmap_size = 268435456',
  'wal_autocheckpoint = 4000',
];

/** Time that closing waits for readers of other processes before it leaves the log file in place, in milliseconds. */
const closingTimeoutMs = 500;

export async function openSqlite({ file, lockWaitMs }: SqliteOptions, log: Logger): Promise<Database> {
  const remedy = 'Correct DATABASE_URL or DATA_DIR.';
  const database = openFile<Tables>(
    file,
    { pragmas: primaryPragmas, what: 'the SQLite database', remedy, lockWaitMs },
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
      `SQLite on ${network} may be damaged: move the database to a local disk, or use Postgres`,
    );
  }
  return database;
}

/** Opens the file of derived data for `openDerived`. */
export async function openDerivedSqlite(file: string, log: Logger): Promise<Database<DerivedTables>> {
  const remedy = 'Its content can be rebuilt: stop orgctx and delete the file.';
  return openFile(file, { pragmas: derivedPragmas, what: 'the store of derived data', remedy }, log);
}

interface Purpose {
  readonly pragmas: readonly string[];
  readonly what: string;
  readonly remedy: string;
  readonly lockWaitMs?: number | undefined;
}

function openFile<Schema>(file: string, purpose: Purpose, log: Logger): Database<Schema> {
  const connection = connect(file, purpose);
  const watch = watchCommits(() => new BetterSqlite3(file, { readonly: true, timeout: 0 }));
  return kyselyDatabase(
    {
      dialect: 'sqlite',
      kysely: new WaitingSqliteDialect(connection, purpose.lockWaitMs),
      subscribe: (_channel, onChange) => watch.subscribe(onChange),
      onCommit: () => watch.check(),
      beforeClose: async () => {
        watch.close();
        await truncateLog(connection, closingTimeoutMs);
      },
    },
    log,
  );
}

function connect(file: string, { pragmas, what, remedy }: Purpose): Connection {
  try {
    makeDataFolder(dirname(file));
    createFile(file);
    chmodSync(file, 0o600);
    const connection = new BetterSqlite3(file);
    for (const pragma of pragmas) connection.pragma(pragma);
    return connection;
  } catch (cause) {
    const full = explainDiskFull(cause);
    if (full !== cause) throw full;
    throw new NotConfigured(`Cannot use ${file} as ${what}: ${reason(cause)}. ${remedy}`, { cause });
  }
}

/**
 * Creates a file before SQLite opens it, because its journal files inherit the mode of the database file. An
 * existing file is not opened: if this process has it open already, closing it again would release the locks of that
 * connection (POSIX).
 */
export function createFile(file: string): void {
  try {
    closeSync(openSync(file, 'ax', 0o600));
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  }
}

function reason(cause: unknown): string {
  return cause instanceof Error ? cause.message.replace(/\.$/, '') : 'it cannot be opened';
}

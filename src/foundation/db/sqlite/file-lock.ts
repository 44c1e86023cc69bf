import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { NotConfigured } from '../../config/config-error.ts';
import { makeDataFolder } from '../../config/make-data-folder.ts';
import { errorCode } from '../../kernel/error-code.ts';
import { createFile } from './sqlite.ts';

export interface FileLock {
  release(): void;
}

/**
 * Takes the exclusive lock of a file; `undefined` if another process holds it. The operating system releases it when
 * the process ends, also by SIGKILL. Node has no file locks, so this is the lock of an empty SQLite database.
 * @throws NotConfigured if the file cannot be created or locked
 */
export function takeFileLock(file: string): FileLock | undefined {
  let connection: BetterSqlite3.Database | undefined;
  makeDataFolder(dirname(file));
  try {
    createFile(file);
    connection = new BetterSqlite3(file, { timeout: 0 });
    connection.exec('begin exclusive');
  } catch (cause) {
    connection?.close();
    if (errorCode(cause) === 'SQLITE_BUSY') return undefined;
    throw unusable(file, cause);
  }
  const held = connection;
  return { release: () => held.close() };
}

/**
 * Returns whether a process holds the exclusive lock of a file. The check takes a shared lock, so that several checks
 * at the same time do not find each other's lock.
 * @throws NotConfigured if the file cannot be read
 */
export function isFileLocked(file: string): boolean {
  if (!existsSync(file)) return false;
  let connection: BetterSqlite3.Database | undefined;
  try {
    connection = new BetterSqlite3(file, { timeout: 0, readonly: true });
    connection.prepare('select count(*) from sqlite_schema').get();
    return false;
  } catch (cause) {
    if (errorCode(cause) === 'SQLITE_BUSY') return true;
    throw unusable(file, cause);
  } finally {
    connection?.close();
  }
}

function unusable(file: string, cause: unknown): NotConfigured {
  return new NotConfigured(`${file} cannot be created or locked. Check DATA_DIR and its owner.`, { cause });
}

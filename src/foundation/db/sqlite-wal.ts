import { statSync } from 'node:fs';
import BetterSqlite3 from 'better-sqlite3';
import { errorCode } from '../kernel/error-code.ts';

/** How long it waits for a reader: the process stands still meanwhile. */
const patienceMs = 250;

/** Size of a SQLite file's write-ahead log in bytes; 0 where there is none. */
export function walBytes(file: string): number {
  try {
    return statSync(`${file}-wal`).size;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return 0;
    throw error;
  }
}

/**
 * Moves the log into the file and cuts it to nothing. SQLite itself begins the log anew but never shortens it, so that
 * one long read leaves it large for good. `false` when a reader or a writer stood in the way; the next call may do it.
 */
export function truncateWal(file: string): boolean {
  const connection = new BetterSqlite3(file, { fileMustExist: true, timeout: patienceMs });
  try {
    const [outcome] = connection.pragma('wal_checkpoint(TRUNCATE)') as readonly { readonly busy: number }[];
    return outcome?.busy === 0;
  } finally {
    connection.close();
  }
}

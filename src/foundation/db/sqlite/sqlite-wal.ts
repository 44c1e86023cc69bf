import { statSync } from 'node:fs';
import BetterSqlite3 from 'better-sqlite3';
import { errorCode } from '../../kernel/error-code.ts';

/** Maximum time to wait for a reader, in milliseconds. The process is blocked meanwhile. */
const busyTimeoutMs = 250;

/** Returns the size of a SQLite file's write-ahead log in bytes; 0 if there is none. */
export function walBytes(file: string): number {
  try {
    return statSync(`${file}-wal`).size;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return 0;
    throw error;
  }
}

/**
 * Copies the log into the file and truncates it. SQLite itself reuses the log but never shortens it, so that one long
 * read leaves it large permanently. Returns false if a reader or a writer prevented it; the next call may succeed.
 */
export function truncateWal(file: string): boolean {
  const connection = new BetterSqlite3(file, { fileMustExist: true, timeout: busyTimeoutMs });
  try {
    const [outcome] = connection.pragma('wal_checkpoint(TRUNCATE)') as readonly { readonly busy: number }[];
    return outcome?.busy === 0;
  } finally {
    connection.close();
  }
}

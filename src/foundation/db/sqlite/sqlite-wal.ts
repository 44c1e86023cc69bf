import { statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import BetterSqlite3 from 'better-sqlite3';
import { errorCode } from '../../kernel/error-code.ts';

/** Maximum time to wait for readers and writers, in milliseconds, and the interval between two attempts. */
const maxWaitMs = 250;
const retryMs = 10;

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
 * Copies the log of a file into the file and truncates it. SQLite itself reuses the log but never shortens it, so that
 * one long read leaves it large permanently. Returns false if a reader or a writer prevented it; the next call may
 * succeed.
 */
export async function truncateWal(file: string): Promise<boolean> {
  const connection = new BetterSqlite3(file, { fileMustExist: true, timeout: 0 });
  try {
    return await truncateLog(connection, maxWaitMs);
  } finally {
    connection.close();
  }
}

/** Truncates the log by a connection without busy_timeout: it is tried again until `waitMs` have passed. */
export async function truncateLog(connection: BetterSqlite3.Database, waitMs: number): Promise<boolean> {
  const deadline = performance.now() + waitMs;
  while (!truncated(connection)) {
    if (performance.now() >= deadline) return false;
    await sleep(retryMs);
  }
  return true;
}

function truncated(connection: BetterSqlite3.Database): boolean {
  const [outcome] = connection.pragma('wal_checkpoint(TRUNCATE)') as readonly { readonly busy: number }[];
  return outcome?.busy === 0;
}

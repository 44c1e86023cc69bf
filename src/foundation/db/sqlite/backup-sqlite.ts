import { closeSync, openSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { sql } from 'kysely';
import { Unavailable } from '../../kernel/errors.ts';
import type { Queries } from '../database.ts';
import { dialectOf } from '../dialect.ts';
import { listTables } from '../migrations/schema-history.ts';

/**
 * Copies a SQLite file into its folder and returns the copy's path; `undefined` for Postgres and for an empty file.
 * Runs inside the write transaction that is about to change the file, on a separate connection: it copies the state
 * before that transaction, and no other process can write meanwhile.
 */
export async function backupSqlite(tx: Queries): Promise<string | undefined> {
  if (dialectOf(tx) === 'postgres' || (await listTables(tx)).length === 0) return undefined;
  const { rows } = await sql<{ file: string }>`
    select file from pragma_database_list where name = 'main'`.execute(tx);
  const file = rows[0]?.file;
  if (file === undefined || file === '') return undefined;
  const copy = `${file}.backup-${new Date().toISOString().replaceAll(/[-:]/g, '')}`;
  removeParts(file);
  try {
    await copyVerified(file, `${copy}${unfinished}`);
    renameSync(`${copy}${unfinished}`, copy);
    return copy;
  } catch (cause) {
    removeParts(file);
    const reason = cause instanceof Error ? cause.message : 'it cannot be written';
    throw new Unavailable(
      'backup_failed',
      `The backup ${copy} could not be written (${reason}), so nothing was changed. Free some disk space and try again.`,
      { cause },
    );
  }
}

/** Suffix of an incomplete copy, so that leftovers of a killed process are not mistaken for a backup. */
const unfinished = '.part';

/**
 * Removes incomplete copies. No other process can be writing one, because the caller holds the write lock of the
 * file.
 */
function removeParts(file: string): void {
  const folder = dirname(file);
  const start = `${basename(file)}.backup-`;
  const parts = readdirSync(folder).filter((name) => name.startsWith(start) && name.includes(unfinished));
  for (const name of parts) rmSync(join(folder, name), { force: true });
}

/** Copies the file on a separate connection and verifies the copy completely. */
async function copyVerified(file: string, copy: string): Promise<void> {
  // Create it with private permissions first: SQLite would initially use those of the process.
  closeSync(openSync(copy, 'wx', 0o600));
  const reader = new BetterSqlite3(file, { readonly: true });
  try {
    await reader.backup(copy);
  } finally {
    reader.close();
  }
  const written = new BetterSqlite3(copy, { fileMustExist: true });
  try {
    // A single file without a log, which can be moved.
    written.pragma('journal_mode = DELETE');
    const result = written.pragma('quick_check(1)', { simple: true });
    if (result !== 'ok') throw new Error(`the copy is damaged: ${String(result)}`);
  } finally {
    written.close();
  }
}

import { closeSync, openSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { sql } from 'kysely';
import { Unavailable } from '../kernel/errors.ts';
import type { Queries } from './database.ts';
import { dialectOf } from './dialect.ts';
import { listTables } from './schema-history.ts';

/**
 * Copies a SQLite file beside itself and returns the copy's path; `undefined` for Postgres and for an empty file.
 * Runs inside the write transaction that is about to change the file, on a connection of its own: what it copies is
 * the state before, and nobody can write in between.
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
    await copyWhole(file, `${copy}${unfinished}`);
    renameSync(`${copy}${unfinished}`, copy);
    return copy;
  } catch (cause) {
    removeParts(file);
    const reason = cause instanceof Error ? cause.message : 'it cannot be written';
    throw new Unavailable(
      'backup_failed',
      `The backup ${copy} could not be made (${reason}), so nothing was changed. Make room for it and run it again.`,
      { cause },
    );
  }
}

/** Ends the name of a copy until it is whole, so that what a death left is never taken for a backup. */
const unfinished = '.part';

/** Nobody else can be writing one: the caller holds the write lock of the file. */
function removeParts(file: string): void {
  const folder = dirname(file);
  const start = `${basename(file)}.backup-`;
  const parts = readdirSync(folder).filter((name) => name.startsWith(start) && name.includes(unfinished));
  for (const name of parts) rmSync(join(folder, name), { force: true });
}

/** On a connection of its own; the copy is read back whole before anything relies on it. */
async function copyWhole(file: string, copy: string): Promise<void> {
  // SQLite makes it with the rights of the file it copies, and a moment earlier with those of the process.
  closeSync(openSync(copy, 'wx', 0o600));
  const reader = new BetterSqlite3(file, { readonly: true });
  try {
    await reader.backup(copy);
  } finally {
    reader.close();
  }
  const made = new BetterSqlite3(copy, { fileMustExist: true });
  try {
    // One file, which can be moved about by itself.
    made.pragma('journal_mode = DELETE');
    const verdict = made.pragma('quick_check(1)', { simple: true });
    if (verdict !== 'ok') throw new Error(`the copy is damaged: ${String(verdict)}`);
  } finally {
    made.close();
  }
}

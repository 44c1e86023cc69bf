import { sql } from 'kysely';
import type { Queries } from '../database.ts';
import { dialectOf } from '../dialect.ts';

/** A setting of the live connection that determines whether a commit survives a crash or a power failure. */
export interface DurabilitySetting {
  readonly name: string;
  /** The value reported by the database. */
  readonly value: string;
  readonly holds: boolean;
  /** The required value, for display. */
  readonly expected: string;
}

/**
 * Reads the settings from the connection itself rather than from the configuration: drivers, servers and roles change
 * defaults.
 */
export async function readDurability(queries: Queries): Promise<readonly DurabilitySetting[]> {
  return dialectOf(queries) === 'postgres' ? readPostgres(queries) : readSqlite(queries);
}

async function readSqlite(queries: Queries): Promise<readonly DurabilitySetting[]> {
  const pragma = async (name: string): Promise<string> => {
    const { rows } = await sql<Record<string, unknown>>`pragma ${sql.raw(name)}`.execute(queries);
    return String(Object.values(rows[0] ?? {})[0]);
  };
  const journal = await pragma('journal_mode');
  const synchronous = await pragma('synchronous');
  const foreignKeys = await pragma('foreign_keys');
  return [
    { name: 'journal_mode', value: journal, holds: journal === 'wal', expected: 'wal' },
    { name: 'synchronous', value: synchronous, holds: Number(synchronous) >= 2, expected: '2 (FULL)' },
    { name: 'foreign_keys', value: foreignKeys, holds: foreignKeys === '1', expected: '1' },
  ];
}

async function readPostgres(queries: Queries): Promise<readonly DurabilitySetting[]> {
  const { rows } = await sql<Record<'fsync' | 'commit' | 'pages', string>>`
    select current_setting('fsync') as fsync, current_setting('synchronous_commit') as commit,
      current_setting('full_page_writes') as pages`.execute(queries);
  const { fsync = '', commit = '', pages = '' } = rows[0] ?? {};
  return [
    { name: 'fsync', value: fsync, holds: fsync === 'on', expected: 'on' },
    // `local`, `remote_write`, `on` and `remote_apply` all wait for this server's own disk.
    { name: 'synchronous_commit', value: commit, holds: commit !== 'off', expected: 'on' },
    { name: 'full_page_writes', value: pages, holds: pages === 'on', expected: 'on' },
  ];
}

/**
 * Describes the settings that reduce durability: `fsync is off, not on; …`. Returns an empty text if there are none.
 */
export function describeWeakness(settings: readonly DurabilitySetting[]): string {
  return settings
    .filter(({ holds }) => !holds)
    .map(({ name, value, expected }) => `${name} is ${value}, not ${expected}`)
    .join('; ');
}

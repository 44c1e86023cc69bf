import { checksums } from '../../../migrations/checksums.ts';
import { migrations as bundled } from '../../../migrations/index.ts';
import { NotConfigured } from '../config/config-error.ts';
import { version } from '../config/version.ts';
import { Conflict } from '../kernel/errors.ts';
import type { Logger } from '../telemetry/logger.ts';
import { backupSqlite } from './backup-sqlite.ts';
import type { Database, Dialect, Queries } from './database.ts';
import { dialectOf } from './dialect.ts';
import { type Migration, type MigrationSet, type SchemaQueries, schemaDialect } from './migration.ts';
import { migrationChecksum } from './migration-checksum.ts';
import { holdingMigrationLock } from './migration-lock.ts';
import { createHistory, listTables, readHistory, recordMigration } from './schema-history.ts';
import { countRows, verifyMigration } from './verify-migration.ts';

export interface MigrateOptions {
  readonly log: Logger;
  /** Back a non-empty SQLite file up before its first pending migration; true unless said otherwise. */
  readonly backup?: boolean;
  /** The program's own unless said otherwise. */
  readonly migrations?: MigrationSet;
}

export interface MigrateResult {
  /** Ids, in order, of what this run applied. */
  readonly applied: readonly string[];
  readonly pending: readonly string[];
  /** The last applied id; `null` for an empty database. */
  readonly version: string | null;
  /** The copy made of a SQLite file before it was changed. */
  readonly backup?: string;
}

export type SchemaState = 'empty' | 'current' | 'older' | 'newer';

const ownMigrations: MigrationSet = { list: bundled, checksums };

/**
 * Applies what is pending, each migration in a transaction of its own; to an empty database all in one. Safe to run
 * twice and at the same time from several processes. Before changing anything it throws `NotConfigured` for a newer
 * schema and `Conflict` (`schema_changed`) for an edited migration.
 */
export async function migrateToLatest(database: Database, options: MigrateOptions): Promise<MigrateResult> {
  const set = options.migrations ?? ownMigrations;
  await assertUnedited(set, database.dialect);
  const changes = await applyPending(database, set, options);
  return { ...changes, ...(await schemaStatus(database, set)) };
}

async function applyPending(
  database: Database,
  set: MigrationSet,
  options: MigrateOptions,
): Promise<Pick<MigrateResult, 'applied' | 'backup'>> {
  return holdingMigrationLock(database, options.log, async (transaction) => {
    const applied = [...(await transaction((tx) => applyToEmpty(tx, set, options)))];
    let backup: string | undefined;
    for (const migration of set.list) {
      const done = await transaction(async (tx) => {
        if (!(await isPending(tx, migration, set))) return false;
        if (options.backup !== false && applied.length === 0) backup = await backupSqlite(tx);
        await apply(tx, migration, options);
        return true;
      });
      if (done) applied.push(migration.id);
    }
    return { applied, ...(backup === undefined ? {} : { backup }) };
  });
}

/**
 * Makes an empty database whole or not at all: killed in between, the next start finds it empty again and not older,
 * which only an operator may change. Returns the ids, none where it was not empty.
 */
async function applyToEmpty(
  tx: Queries,
  set: MigrationSet,
  options: MigrateOptions,
): Promise<readonly string[]> {
  if ((await listTables(tx)).length > 0) return [];
  for (const migration of set.list) await apply(tx, migration, options);
  return set.list.map(({ id }) => id);
}

/** What is pending and which version the database has; changes nothing. */
export async function schemaStatus(
  database: Database,
  set: MigrationSet = ownMigrations,
): Promise<Pick<MigrateResult, 'pending' | 'version'>> {
  const applied = (await readHistory(database.queries)).map(({ id }) => id);
  return {
    pending: set.list.map(({ id }) => id).filter((id) => !applied.includes(id)),
    version: applied.at(-1) ?? null,
  };
}

/**
 * How the schema stands to this program: `empty` has no table at all, `newer` has migrations this program does not
 * know. A database with tables but no history counts as `older`: `migrate` decides what to do with it.
 */
export async function schemaState(
  database: Database,
  set: MigrationSet = ownMigrations,
): Promise<SchemaState> {
  const applied = (await readHistory(database.queries)).map(({ id }) => id);
  if (applied.some((id) => !isKnown(id, set))) return 'newer';
  if (applied.length === set.list.length) return 'current';
  return (await listTables(database.queries)).length === 0 ? 'empty' : 'older';
}

async function apply(tx: Queries, migration: Migration, { log }: MigrateOptions): Promise<void> {
  const dialect = dialectOf(tx);
  await createHistory(tx);
  const before = await countRows(tx);
  await migration.up(tx as unknown as SchemaQueries, schemaDialect(dialect));
  await verifyMigration(tx, migration, before);
  const checksum = await migrationChecksum(migration, dialect);
  await recordMigration(tx, { id: migration.id, checksum, appVersion: version, now: Date.now() });
  log.debug({ migration: migration.id }, 'migration applied');
}

/** Looks under the lock: another process may have applied it a moment ago. */
async function isPending(tx: Queries, migration: Migration, set: MigrationSet): Promise<boolean> {
  const history = await readHistory(tx);
  for (const { id, checksum } of history) {
    if (!isKnown(id, set)) {
      throw new NotConfigured(
        'The database is newer than this program: install the version that migrated it.',
      );
    }
    if (checksum !== set.checksums[id]?.[dialectOf(tx)]) {
      throw new Conflict(
        'schema_changed',
        `Migration ${id} differs from the one this database was made with.`,
      );
    }
  }
  return history.every(({ id }) => id !== migration.id);
}

function isKnown(id: string, set: MigrationSet): boolean {
  return set.list.some((migration) => migration.id === id);
}

/** An edited migration would leave old and new databases different, so it is refused before it touches one. */
async function assertUnedited(set: MigrationSet, dialect: Dialect): Promise<void> {
  for (const migration of set.list) {
    if ((await migrationChecksum(migration, dialect)) !== set.checksums[migration.id]?.[dialect]) {
      throw new Conflict(
        'schema_changed',
        `Migration ${migration.id} was edited; add a new migration instead.`,
      );
    }
  }
}

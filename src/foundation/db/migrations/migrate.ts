import { NotConfigured } from '../../config/config-error.ts';
import { version } from '../../config/version.ts';
import { Conflict } from '../../kernel/errors.ts';
import type { Logger } from '../../telemetry/logger.ts';
import type { Database, Dialect, Queries } from '../database.ts';
import { dialectOf } from '../dialect.ts';
import { backupSqlite } from '../sqlite/backup-sqlite.ts';
import { type Migration, type MigrationSet, type SchemaQueries, schemaDialect } from './migration.ts';
import { migrationChecksum } from './migration-checksum.ts';
import { withMigrationLock } from './migration-lock.ts';
import { createHistory, listTables, readHistory, recordMigration } from './schema-history.ts';
import { countRows, verifyMigration } from './verify-migration.ts';

export interface MigrateOptions {
  readonly log: Logger;
  readonly migrations: MigrationSet;
  /** Back up a SQLite file that is not empty before its first pending migration. Default: true. */
  readonly backup?: boolean;
}

export interface MigrateResult {
  /** Ids, in order, of the migrations that this run applied. */
  readonly applied: readonly string[];
  readonly pending: readonly string[];
  /** The id of the last applied migration; `null` for an empty database. */
  readonly version: string | null;
  /** Path of the copy of the SQLite file, made before it was changed. */
  readonly backup?: string;
}

export type SchemaState = 'empty' | 'current' | 'older' | 'newer' | 'changed';

/** A migration with the checksum of its present statements. */
interface Step {
  readonly migration: Migration;
  readonly checksum: string;
}

/**
 * Applies the pending migrations, each in its own transaction; to an empty database all in one. Idempotent, and safe to
 * run in several processes at the same time. Before changing anything it throws `NotConfigured` for a newer schema and
 * `Conflict` (`schema_changed`) for an edited migration.
 */
export async function migrateToLatest(database: Database, options: MigrateOptions): Promise<MigrateResult> {
  const steps = await uneditedSteps(options.migrations, database.dialect);
  const changes = await applyPending(database, steps, options);
  return { ...changes, ...(await schemaStatus(database, options.migrations)) };
}

async function applyPending(
  database: Database,
  steps: readonly Step[],
  options: MigrateOptions,
): Promise<Pick<MigrateResult, 'applied' | 'backup'>> {
  return withMigrationLock(database, options.log, async (transaction) => {
    const applied = [...(await transaction((tx) => applyToEmpty(tx, steps, options)))];
    let backup: string | undefined;
    for (const step of steps) {
      const done = await transaction(async (tx) => {
        if (!(await isPending(tx, step, steps))) return false;
        if (options.backup !== false && applied.length === 0) backup = await backupSqlite(tx);
        await apply(tx, step, options);
        return true;
      });
      if (done) applied.push(step.migration.id);
    }
    return { applied, ...(backup === undefined ? {} : { backup }) };
  });
}

/**
 * Applies every migration to an empty database in one transaction. After a kill in between, the next start finds it
 * empty again and not older, a state that only an operator may change. Returns the applied ids, none if the database
 * was not empty.
 */
async function applyToEmpty(
  tx: Queries,
  steps: readonly Step[],
  options: MigrateOptions,
): Promise<readonly string[]> {
  if ((await listTables(tx)).length > 0) return [];
  for (const step of steps) await apply(tx, step, options);
  return steps.map(({ migration }) => migration.id);
}

/** Returns the pending migrations and the version of the database. */
export async function schemaStatus(
  database: Database,
  { list }: MigrationSet,
): Promise<Pick<MigrateResult, 'pending' | 'version'>> {
  const applied = (await readHistory(database.queries)).map(({ id }) => id);
  return {
    pending: list.map(({ id }) => id).filter((id) => !applied.includes(id)),
    version: applied.at(-1) ?? null,
  };
}

/**
 * Compares the schema with the migrations: `empty` has no table at all, `newer` has migrations that are not among them,
 * `changed` was made with other statements of a migration. A database with tables but no history is `older`: `migrate`
 * decides what to do with it.
 */
export async function schemaState(database: Database, { list }: MigrationSet): Promise<SchemaState> {
  const applied = await readHistory(database.queries);
  for (const { id, checksum } of applied) {
    const migration = list.find((each) => each.id === id);
    if (migration === undefined) return 'newer';
    if (checksum !== (await migrationChecksum(migration, database.dialect))) return 'changed';
  }
  if (applied.length === list.length) return 'current';
  return (await listTables(database.queries)).length === 0 ? 'empty' : 'older';
}

async function apply(tx: Queries, { migration, checksum }: Step, { log }: MigrateOptions): Promise<void> {
  const dialect = dialectOf(tx);
  await createHistory(tx);
  const before = await countRows(tx);
  await migration.up(tx as unknown as SchemaQueries, schemaDialect(dialect));
  await verifyMigration(tx, migration, before);
  await recordMigration(tx, { id: migration.id, checksum, appVersion: version, now: Date.now() });
  log.debug({ migration: migration.id }, 'migration applied');
}

/** Reads the history under the lock: another process may just have applied the migration. */
async function isPending(tx: Queries, { migration }: Step, steps: readonly Step[]): Promise<boolean> {
  const history = await readHistory(tx);
  for (const { id, checksum } of history) {
    const known = steps.find((step) => step.migration.id === id);
    if (known === undefined) {
      throw new NotConfigured(
        'The database is newer than this program: install the version that migrated it.',
      );
    }
    if (checksum !== known.checksum) {
      throw new Conflict(
        'schema_changed',
        `Migration ${id} differs from the one this database was made with.`,
      );
    }
  }
  return history.every(({ id }) => id !== migration.id);
}

/** An edited migration would make old and new databases differ, so a released one that was edited is refused. */
async function uneditedSteps({ list, checksums }: MigrationSet, dialect: Dialect): Promise<readonly Step[]> {
  const steps: Step[] = [];
  for (const migration of list) {
    const checksum = await migrationChecksum(migration, dialect);
    const released = checksums[migration.id]?.[dialect];
    if (released !== undefined && released !== checksum) {
      throw new Conflict(
        'schema_changed',
        `Migration ${migration.id} was edited; add a new migration instead.`,
      );
    }
    steps.push({ migration, checksum });
  }
  return steps;
}

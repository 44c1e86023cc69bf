import { existsSync } from 'node:fs';
import { graphSchema } from '../../backends/graph/sql/graph-schema.ts';
import { projectionSchema } from '../../features/knowledge/projection/projection-schema.ts';
import type { Config, Secrets } from '../../foundation/config/config.ts';
import { NotConfigured } from '../../foundation/config/config-error.ts';
import { version } from '../../foundation/config/version.ts';
import type { Database, DatabaseOptions } from '../../foundation/db/database.ts';
import { type DerivedDatabase, openDerived } from '../../foundation/db/derived/open-derived.ts';
import type { SchemaState } from '../../foundation/db/migrations/migrate.ts';
import { openDatabase } from '../../foundation/db/open-database.ts';
import { derivedDatabaseOf } from '../../foundation/kernel/data-folder.ts';
import type { Logger } from '../../foundation/telemetry/logger.ts';
import { migrateDatabase, readSchema } from './schema.ts';

/**
 * Sizes of the connection pool. A server handles many requests at once. A worker runs at most seven jobs, which mostly
 * wait for Git or for files. A command needs one or two connections.
 */
const poolSizes = { serve: 10, worker: 5, command: 2 } as const;

export type ProcessRole = keyof typeof poolSizes;

export interface Settings {
  readonly config: Config;
  readonly secrets: Secrets;
}

/**
 * Opens the configured database without a schema check, for `migrate` and commands that check the schema themselves.
 */
export function openConfiguredDatabase(
  settings: Settings,
  role: ProcessRole,
  log: Logger,
): Promise<Database> {
  return openDatabase(databaseOptions(settings, role), log);
}

/**
 * Opens the database and checks its schema. An empty one is migrated if `create` is set; an older, newer or changed
 * schema is refused (contract section 1, serve), because an operator must decide what to do.
 */
export async function openCurrentDatabase(
  settings: Settings,
  role: ProcessRole,
  log: Logger,
  { create }: { readonly create: boolean },
): Promise<Database> {
  if (!create) requireDatabaseFile(settings);
  const database = await openConfiguredDatabase(settings, role, log);
  try {
    const { state } = await readSchema(database);
    if (state === 'empty' && create) await migrateDatabase(database, log);
    else if (state !== 'current') throw wrongSchema(state);
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

/**
 * Checks that the SQLite file exists, because opening creates it, with its folder. @throws NotConfigured that names it
 */
export function requireDatabaseFile({ config: { database } }: Pick<Settings, 'config'>): void {
  if (database.dialect !== 'sqlite' || existsSync(database.file)) return;
  throw new NotConfigured(
    `There is no database at ${database.file}. If the service uses another data folder, name it with --data-dir ` +
      '(DATA_DIR). "orgctx serve" and "orgctx quickstart" create a database.',
  );
}

/**
 * The schemas of the store of derived data.
 * @internal Exported for the tests, which open the store by itself.
 */
export const derivedSchemas = [graphSchema, projectionSchema];

/** Opens the store of derived data, which is emptied if another version of the program wrote it. */
export function openDerivedDatabase(
  settings: Settings,
  role: ProcessRole,
  log: Logger,
): Promise<DerivedDatabase> {
  const options = databaseOptions(settings, role);
  if (options.dialect === 'sqlite') {
    return openDerived({ dialect: 'sqlite', file: derivedDatabaseOf(options.file) }, derivedSchemas, log);
  }
  const pool = { poolSize: 2, applicationName: `${options.applicationName}-graph` };
  return openDerived({ ...options, ...pool }, derivedSchemas, log);
}

function wrongSchema(state: Exclude<SchemaState, 'current'>): NotConfigured {
  if (state === 'changed') {
    return new NotConfigured(
      'The database was created by another build of this version, with a different schema. Install that build, or ' +
        'delete the database and create it again.',
    );
  }
  if (state === 'newer') {
    return new NotConfigured(
      `The database was migrated by a newer orgctx than this one (${version}). Install the version that migrated it, ` +
        'or restore a backup from before that migration; "orgctx migrate --status" shows both.',
    );
  }
  const what = state === 'empty' ? 'The database is empty' : 'The database has an older schema';
  return new NotConfigured(
    `${what}. Run "orgctx migrate" first; "orgctx migrate --status" shows what is pending.`,
  );
}

function databaseOptions({ config, secrets }: Settings, role: ProcessRole): DatabaseOptions {
  if (config.database.dialect === 'sqlite') return config.database;
  if (secrets.postgresUrl === undefined)
    throw new NotConfigured('DATABASE_URL selects Postgres but contains no URL.');
  return {
    dialect: 'postgres',
    url: secrets.postgresUrl,
    ...(secrets.postgresDirectUrl === undefined ? {} : { directUrl: secrets.postgresDirectUrl }),
    poolSize: poolSizes[role],
    applicationName: `orgctx-${role}`,
  };
}

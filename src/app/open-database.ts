import type { Config, Secrets } from '../foundation/config/config.ts';
import { NotConfigured } from '../foundation/config/config-error.ts';
import { version } from '../foundation/config/version.ts';
import type { Database, DatabaseOptions } from '../foundation/db/database.ts';
import { migrateToLatest, schemaState } from '../foundation/db/migrate.ts';
import { openDatabase } from '../foundation/db/open-database.ts';
import { type DerivedDatabase, openDerived } from '../foundation/db/open-derived.ts';
import { dataFolder } from '../foundation/kernel/data-folder.ts';
import type { Logger } from '../foundation/telemetry/logger.ts';

/** Connections by process: a server answers many at once, a worker runs three jobs, a command needs one or two. */
const poolSizes = { serve: 10, worker: 5, command: 2 } as const;

export type ProcessRole = keyof typeof poolSizes;

export interface Settings {
  readonly config: Config;
  readonly secrets: Secrets;
}

/** Opens the configured database as it is; for `migrate` and for everything that checks the schema itself. */
export function openConfiguredDatabase(
  settings: Settings,
  role: ProcessRole,
  log: Logger,
): Promise<Database> {
  return openDatabase(databaseOptions(settings, role), log);
}

/**
 * Opens the database for work. An empty one is created where `create` says so; an older or newer schema is refused
 * (contract section 1, serve): the answer to it is an operator's.
 */
export async function openCurrentDatabase(
  settings: Settings,
  role: ProcessRole,
  log: Logger,
  { create }: { readonly create: boolean },
): Promise<Database> {
  const database = await openConfiguredDatabase(settings, role, log);
  try {
    const state = await schemaState(database);
    if (state === 'empty' && create) await migrateToLatest(database, { log });
    else if (state !== 'current') throw wrongSchema(state);
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Opens the store of what can be made again, emptied where another version of the program wrote it. */
export function openDerivedDatabase(
  settings: Settings,
  role: ProcessRole,
  log: Logger,
): Promise<DerivedDatabase> {
  const options = databaseOptions(settings, role);
  if (options.dialect === 'sqlite') {
    return openDerived({ dialect: 'sqlite', file: dataFolder(settings.config.dataDir).derivedDatabase }, log);
  }
  return openDerived({ ...options, poolSize: 2, applicationName: `${options.applicationName}-graph` }, log);
}

function wrongSchema(state: 'empty' | 'older' | 'newer'): NotConfigured {
  if (state === 'newer') {
    return new NotConfigured(
      `The database was migrated by a newer orgctx than this one (${version}). Install the version that migrated it, ` +
        'or restore a backup made before; `orgctx migrate --status` shows both.',
    );
  }
  const what = state === 'empty' ? 'The database is empty' : 'The database is of an older version';
  return new NotConfigured(
    `${what}. Run \`orgctx migrate\` first; \`orgctx migrate --status\` shows what is pending.`,
  );
}

function databaseOptions({ config, secrets }: Settings, role: ProcessRole): DatabaseOptions {
  if (config.database.dialect === 'sqlite') return config.database;
  if (secrets.postgresUrl === undefined)
    throw new NotConfigured('DATABASE_URL names Postgres without a URL.');
  return {
    dialect: 'postgres',
    url: secrets.postgresUrl,
    ...(secrets.postgresDirectUrl === undefined ? {} : { directUrl: secrets.postgresDirectUrl }),
    poolSize: poolSizes[role],
    applicationName: `orgctx-${role}`,
  };
}

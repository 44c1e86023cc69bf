import { existsSync } from 'node:fs';
import { openCurrentDatabase } from '../../app/open/open-database.ts';
import type { LoadedConfig } from '../../foundation/config/load-config.ts';
import type { Database } from '../../foundation/db/database.ts';
import { visibleLine } from '../../foundation/kernel/text/visible-text.ts';
import { createLogger, type Logger } from '../../foundation/telemetry/logger.ts';
import { confirmed } from '../frame/confirm.ts';
import type { CommandContext } from '../frame/context.ts';
import { UsageError } from '../frame/usage-error.ts';
import { type HostFlagValues, loadHostConfig } from './host-flags.ts';

interface HostDatabaseOptions {
  /** The name of the command in its log. */
  readonly name: string;
  /** Default: `info`. */
  readonly level?: 'info' | 'warn';
  /** Creates the database if it does not exist; on a terminal only after a confirmation. */
  readonly create?: boolean;
}

export interface HostDatabase {
  readonly database: Database;
  readonly settings: LoadedConfig;
  /** Logs to stderr. */
  readonly log: Logger;
}

/**
 * Runs `work` with the database of this host and closes it.
 * @throws NotConfigured if the database does not exist and `create` is not set
 */
export async function withHostDatabase<T>(
  context: CommandContext,
  flags: HostFlagValues,
  { name, level = 'info', create = false }: HostDatabaseOptions,
  work: (host: HostDatabase) => Promise<T>,
): Promise<T> {
  const settings = loadHostConfig(context, flags);
  const pretty = context.terminal.err.isTerminal;
  const log = createLogger({ level, name, destination: 'stderr', pretty });
  const file = missingFile(settings);
  if (create && file !== undefined) await confirmCreation(file, context);
  const database = await openCurrentDatabase(settings, 'command', log, { create });
  try {
    if (file !== undefined && !context.terminal.json) {
      context.terminal.note(`Created a new database at ${visibleLine(file)}; no server uses it yet.`);
    }
    return await work({ database, settings, log });
  } finally {
    await database.close();
  }
}

/** Asks on a terminal before a database is created: a wrong data folder would get a user that no server knows. */
async function confirmCreation(file: string, { terminal }: CommandContext): Promise<void> {
  const question = `There is no database at ${visibleLine(file)}. Create a new one?`;
  if (!terminal.interactive || (await confirmed(terminal, question))) return;
  throw new UsageError(
    'Nothing was created.',
    'Name the data folder of the service with --data-dir (DATA_DIR), or its database with DATABASE_URL.',
  );
}

/** Returns the SQLite file that does not exist yet, or `undefined`. */
function missingFile({ config: { database } }: LoadedConfig): string | undefined {
  return database.dialect === 'sqlite' && !existsSync(database.file) ? database.file : undefined;
}

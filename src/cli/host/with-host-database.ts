import { existsSync } from 'node:fs';
import { openCurrentDatabase } from '../../app/open/open-database.ts';
import type { LoadedConfig } from '../../foundation/config/load-config.ts';
import type { Database } from '../../foundation/db/database.ts';
import { visibleLine } from '../../foundation/kernel/text/visible-text.ts';
import { createLogger, type Logger } from '../../foundation/telemetry/logger.ts';
import type { CommandContext } from '../frame/context.ts';
import { type HostFlagValues, loadHostConfig } from './host-flags.ts';

interface HostDatabaseOptions {
  /** The name of the command in its log. */
  readonly name: string;
  /** Default: `info`. */
  readonly level?: 'info' | 'warn';
  /** Creates the database if it does not exist. */
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

/** Returns the SQLite file that does not exist yet, or `undefined`. */
function missingFile({ config: { database } }: LoadedConfig): string | undefined {
  return database.dialect === 'sqlite' && !existsSync(database.file) ? database.file : undefined;
}

import { openCurrentDatabase, type Settings } from '../app/open-database.ts';
import type { Database } from '../foundation/db/database.ts';
import { createLogger, type Logger } from '../foundation/telemetry/logger.ts';
import type { CommandContext } from './frame/context.ts';
import { type HostFlagValues, loadHostConfig } from './host-flags.ts';

interface HostDatabaseOptions {
  /** Of the command, in its log. */
  readonly name: string;
  /** Default `info`. */
  readonly level?: 'info' | 'warn';
  /** Makes the database where there is none yet. */
  readonly create?: boolean;
}

export interface HostDatabase {
  readonly database: Database;
  readonly settings: Settings;
  /** On stderr; what a command changes is told here too, for whoever keeps it. */
  readonly log: Logger;
}

/**
 * Runs `work` on this host's own database and closes it.
 * @throws NotConfigured where there is none yet, and it is not to be made
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
  const database = await openCurrentDatabase(settings, 'command', log, { create });
  try {
    return await work({ database, settings, log });
  } finally {
    await database.close();
  }
}

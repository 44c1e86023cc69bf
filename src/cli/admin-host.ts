import { openCurrentDatabase } from '../app/open-database.ts';
import type { User } from '../features/identity/user.ts';
import { findUser } from '../features/identity/user-store.ts';
import type { Config } from '../foundation/config/config.ts';
import type { Database, Queries } from '../foundation/db/database.ts';
import { Conflict, NotFound } from '../foundation/kernel/errors.ts';
import { createLogger } from '../foundation/telemetry/logger.ts';
import type { CommandContext } from './frame/context.ts';
import { requiredText } from './frame/parameters.ts';
import { hostFlags, loadHostConfig } from './host-flags.ts';

/** The flags of every `admin` command that is about one person. */
export const personFlags = { ...hostFlags, email: requiredText('email', "the user's e-mail address") };

interface HostFlagValues {
  readonly dataDir: string | undefined;
  readonly config: string | undefined;
}

export interface Host {
  readonly database: Database;
  readonly config: Config;
}

/** Runs `work` on this host's own database, which is created when there is none yet, and closes it. */
export async function onHost<T>(
  context: CommandContext,
  flags: HostFlagValues,
  work: (host: Host) => Promise<T>,
): Promise<T> {
  const settings = loadHostConfig(context, flags);
  const pretty = context.terminal.err.isTerminal;
  const log = createLogger({ level: 'warn', name: 'admin', destination: 'stderr', pretty });
  const database = await openCurrentDatabase(settings, 'command', log, { create: true });
  try {
    return await work({ database, config: settings.config });
  } finally {
    await database.close();
  }
}

/** @throws NotFound naming the command that creates one. */
export async function requireUser(queries: Queries, email: string): Promise<User> {
  const user = await findUser(queries, email);
  if (user !== undefined) return user;
  throw new NotFound(`There is no user ${email}: create one with "orgctx admin create --email … --org …".`);
}

/** For what would be of no use to a disabled user. @throws NotFound, Conflict naming the command that enables them. */
export async function requireEnabledUser(queries: Queries, email: string): Promise<User> {
  const user = await requireUser(queries, email);
  if (!user.disabled) return user;
  throw new Conflict(
    'conflict',
    `${user.email} is disabled: run "orgctx admin user enable --email ${user.email}" first.`,
  );
}

import { openConfiguredDatabase, requireDatabaseFile } from '../../app/open/open-database.ts';
import { migrateDatabase, readSchema } from '../../app/open/schema.ts';
import { version as appVersion } from '../../foundation/config/version.ts';
import type { Database } from '../../foundation/db/database.ts';
import type { MigrateResult, SchemaState } from '../../foundation/db/migrations/migrate.ts';
import { createLogger } from '../../foundation/telemetry/logger.ts';
import { type CommandResult, defineCommand } from '../frame/command.ts';
import { confirmed } from '../frame/confirm.ts';
import { exitCodes } from '../frame/exit-code.ts';
import { toggle } from '../frame/parameters.ts';
import type { Terminal } from '../frame/terminal.ts';
import { UsageError } from '../frame/usage-error.ts';
import { hostFlags, loadHostConfig } from './host-flags.ts';

export const migrateCommand = defineCommand({
  description:
    'Migrates the database to the schema of this version. Run it before the new version starts; running it again changes ' +
    'nothing. A SQLite file is backed up next to itself first. Back up Postgres yourself and confirm it.',
  flags: {
    ...hostFlags,
    status: toggle('show pending migrations without changing anything'),
    backupTaken: toggle('confirm that a backup of this Postgres database exists'),
  },
  examples: ['orgctx migrate --status', 'orgctx migrate --backup-taken --json'],
  async run({ flags }, context) {
    const { terminal } = context;
    const pretty = terminal.err.isTerminal;
    const log = createLogger({ level: 'warn', name: 'migrate', destination: 'stderr', pretty });
    const settings = loadHostConfig(context, flags);
    if (flags.status) requireDatabaseFile(settings);
    const database = await openConfiguredDatabase(settings, 'command', log);
    try {
      const { state, ...status } = await readSchema(database);
      if (flags.status) return resultOf({ applied: [], ...status }, state, 'status');
      if (state === 'older' && !flags.backupTaken) await requireBackup(database, terminal);
      const result = await migrateDatabase(database, log);
      return resultOf(result, (await readSchema(database)).state);
    } finally {
      await database.close();
    }
  },
});

/**
 * Asks whether a backup exists, which must precede a migration. The migration itself makes that of a SQLite file.
 */
async function requireBackup(database: Database, terminal: Terminal): Promise<void> {
  if (database.dialect === 'sqlite') return;
  const question = 'This Postgres database is not empty. Is there a backup of it?';
  if (terminal.interactive && (await confirmed(terminal, question))) return;
  throw new UsageError(
    'This Postgres database is not empty and no backup was confirmed. Nothing was changed.',
    'Take a backup (pg_dump), then run "orgctx migrate --backup-taken".',
  );
}

function resultOf(
  result: MigrateResult,
  state: SchemaState,
  mode: 'status' | 'migrate' = 'migrate',
): CommandResult {
  const { applied, pending, version, backup } = result;
  const counts = mode === 'status' ? [] : [`${applied.length} applied`];
  const pendingText = pending.length === 0 ? 'nothing pending' : `${pending.length} pending`;
  const lines = [
    [`schema ${version ?? 'empty'}`, ...counts, pendingText].join(', '),
    ...applied.map((id) => `applied ${id}`),
    ...pending.map((id) => `pending ${id}`),
    ...(backup === undefined ? [] : [`backup ${backup}`]),
  ];
  if (state !== 'newer') return { json: { applied, pending, version }, text: lines.join('\n') };
  lines.push(`newer than this program (${appVersion}): install the version that migrated it`);
  return { json: { applied, pending, version }, text: lines.join('\n'), exitCode: exitCodes.notConfigured };
}

import { openConfiguredDatabase } from '../app/open-database.ts';
import { version as appVersion } from '../foundation/config/version.ts';
import type { Database } from '../foundation/db/database.ts';
import {
  type MigrateResult,
  migrateToLatest,
  type SchemaState,
  schemaState,
  schemaStatus,
} from '../foundation/db/migrate.ts';
import { createLogger } from '../foundation/telemetry/logger.ts';
import { type CommandResult, defineCommand } from './frame/command.ts';
import { confirmed } from './frame/confirm.ts';
import { exitCodes } from './frame/exit-code.ts';
import { toggle } from './frame/parameters.ts';
import type { Terminal } from './frame/terminal.ts';
import { UsageError } from './frame/usage-error.ts';
import { hostFlags, loadHostConfig } from './host-flags.ts';

export const migrateCommand = defineCommand({
  description:
    'Brings the database to the schema of this version. Run it before the new version starts; running it again changes ' +
    'nothing. A SQLite file is copied beside itself first; of Postgres take a backup yourself and say so.',
  flags: {
    ...hostFlags,
    status: toggle('show what is pending and change nothing'),
    backupTaken: toggle('a backup of this Postgres database exists'),
  },
  examples: ['orgctx migrate --status', 'orgctx migrate --backup-taken --json'],
  async run({ flags }, context) {
    const { terminal } = context;
    const pretty = terminal.err.isTerminal;
    const log = createLogger({ level: 'warn', name: 'migrate', destination: 'stderr', pretty });
    const database = await openConfiguredDatabase(loadHostConfig(context, flags), 'command', log);
    try {
      const state = await schemaState(database);
      if (flags.status) return shown({ applied: [], ...(await schemaStatus(database)) }, state);
      if (state === 'older' && !flags.backupTaken) await requireBackup(database, terminal);
      return shown(await migrateToLatest(database, { log }), await schemaState(database));
    } finally {
      await database.close();
    }
  },
});

/** Specification, operations 4: a backup must precede migration. SQLite's is made by the migration itself. */
async function requireBackup(database: Database, terminal: Terminal): Promise<void> {
  if (database.dialect === 'sqlite') return;
  const question = 'This Postgres database is not empty. Is there a backup of it?';
  if (terminal.interactive && (await confirmed(terminal, question))) return;
  throw new UsageError(
    'This Postgres database is not empty: nothing was changed.',
    'Take a backup (pg_dump), then run "orgctx migrate --backup-taken".',
  );
}

function shown(result: MigrateResult, state: SchemaState): CommandResult {
  const { applied, pending, version, backup } = result;
  const lines = [
    `schema ${version ?? 'empty'}, ${applied.length} applied, ${pending.length} pending`,
    ...applied.map((id) => `applied ${id}`),
    ...pending.map((id) => `pending ${id}`),
    ...(backup === undefined ? [] : [`backup ${backup}`]),
  ];
  if (state !== 'newer') return { json: { applied, pending, version }, text: lines.join('\n') };
  lines.push(`newer than this program (${appVersion}): install the version that migrated it`);
  return { json: { applied, pending, version }, text: lines.join('\n'), exitCode: exitCodes.notConfigured };
}

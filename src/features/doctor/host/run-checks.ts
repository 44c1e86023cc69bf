import { existsSync } from 'node:fs';
import type { Database } from '../../../foundation/db/database.ts';
import { schemaState } from '../../../foundation/db/migrations/migrate.ts';
import type { MigrationSet } from '../../../foundation/db/migrations/migration.ts';
import { type CheckOutcome, fail, type Host, pass, skipped } from './check.ts';
import { durabilityCheck } from './checks/durability.ts';
import { schemaCheck } from './checks/schema.ts';
import { databaseChecks, hostChecks } from './checks.ts';
import { type CheckResult, type HostReport, reportOf } from './report.ts';
import { failureOf, type RunOptions, runCheck } from './run-check.ts';

export interface DoctorOptions extends RunOptions {
  readonly host: Host;
  /** Opens the configured database without changing it. */
  readonly openDatabase: () => Promise<Database>;
  /** The migrations of this program. */
  readonly migrations: MigrationSet;
}

/**
 * Checks this host: the environment of the program, its data and its pending work. A check whose input is missing is
 * skipped, so that one error is reported once. Rejects only with the reason of `signal`.
 */
export async function runHostChecks(options: DoctorOptions): Promise<HostReport> {
  const { host } = options;
  const results: CheckResult[] = [];
  for (const check of hostChecks) results.push(await runCheck(check, host, options));
  const opened = await openForChecks(options);
  results.push({ id: 'database', title: 'Database', ...opened.outcome });
  try {
    results.push(...(await databaseResults(opened.database, options)));
  } finally {
    await opened.database?.close();
  }
  return reportOf(results);
}

async function databaseResults(
  database: Database | undefined,
  options: DoctorOptions,
): Promise<readonly CheckResult[]> {
  const later = [schemaCheck, durabilityCheck, ...databaseChecks];
  if (database === undefined) return later.map((check) => skippedResult(check, 'The database is not open.'));
  const { onError, migrations } = options;
  const host = { ...options.host, database, migrations };
  const state = await schemaState(database, migrations).catch((error: unknown) => onError('schema', error));
  const first = [
    state === undefined
      ? skippedResult(schemaCheck, 'The database does not respond.')
      : await runCheck(schemaCheck, { ...host, state }, options),
    await runCheck(durabilityCheck, host, options),
  ];
  const rest: CheckResult[] = [];
  for (const check of databaseChecks) {
    rest.push(
      state === 'current'
        ? await runCheck(check, host, options)
        : skippedResult(check, 'The schema is not the one of this version.'),
    );
  }
  return [...first, ...rest];
}

interface Opened {
  readonly outcome: CheckOutcome;
  readonly database?: Database;
}

async function openForChecks({ host: { config }, openDatabase, onError }: DoctorOptions): Promise<Opened> {
  const place = config.database;
  // Opening a missing file would create it, but checks must not change anything.
  if (place.dialect === 'sqlite' && !existsSync(place.file)) {
    const hint =
      'Run "orgctx quickstart" or "orgctx serve" to create it, or correct DATA_DIR or DATABASE_URL.';
    return { outcome: fail(`There is no database at ${place.file}.`, hint) };
  }
  const evidence =
    place.dialect === 'sqlite'
      ? { dialect: place.dialect, file: place.file }
      : { dialect: place.dialect, host: place.host, database: place.database };
  try {
    const database = await openDatabase();
    return { database, outcome: pass('The database opens and responds.', evidence) };
  } catch (error) {
    onError('database', error);
    return { outcome: { ...failureOf(error), evidence } };
  }
}

function skippedResult({ id, title }: Pick<CheckResult, 'id' | 'title'>, why: string): CheckResult {
  return { id, title, ...skipped(why) };
}

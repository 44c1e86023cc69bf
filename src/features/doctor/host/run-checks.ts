import { existsSync } from 'node:fs';
import type { Database } from '../../../foundation/db/database.ts';
import { schemaState } from '../../../foundation/db/migrate.ts';
import { OrgctxError } from '../../../foundation/kernel/errors.ts';
import { type Check, type CheckOutcome, fail, type Host, pass, skipped } from './check.ts';
import { durabilityCheck } from './checks/durability.ts';
import { schemaCheck } from './checks/schema.ts';
import { databaseChecks, hostChecks } from './checks.ts';
import { type CheckResult, type HostReport, reportOf } from './report.ts';

export interface DoctorOptions {
  readonly host: Host;
  /** Opens the configured database as it is. */
  readonly openDatabase: () => Promise<Database>;
  /** Told of what a check threw; the report holds no more of it than is meant for people. */
  readonly onFault: (check: string, error: unknown) => void;
  readonly signal: AbortSignal;
  /** How long a check may take, in milliseconds. */
  readonly timeoutMs?: number;
}

const usualTimeoutMs = 10_000;

/**
 * Looks at this host: what the program stands on, where its data lies, and what waits. A check whose input is missing
 * is skipped, so that one fault is reported once. Rejects only with the reason of `signal`.
 */
export async function runHostChecks(options: DoctorOptions): Promise<HostReport> {
  const { host } = options;
  const results: CheckResult[] = [];
  for (const check of hostChecks) results.push(await ran(check, host, options));
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
  if (database === undefined) return later.map((check) => without(check, 'The database is not open.'));
  const { onFault } = options;
  const host = { ...options.host, database };
  const state = await schemaState(database).catch((error: unknown) => onFault('schema', error));
  const first = [
    state === undefined
      ? without(schemaCheck, 'The database does not answer.')
      : await ran(schemaCheck, { ...host, state }, options),
    await ran(durabilityCheck, host, options),
  ];
  const rest: CheckResult[] = [];
  for (const check of databaseChecks) {
    rest.push(
      state === 'current' ? await ran(check, host, options) : without(check, 'The schema is not this one.'),
    );
  }
  return [...first, ...rest];
}

interface Opened {
  readonly outcome: CheckOutcome;
  readonly database?: Database;
}

async function openForChecks({ host: { config }, openDatabase, onFault }: DoctorOptions): Promise<Opened> {
  const place = config.database;
  // Opening would make it: a doctor leaves the patient as it is.
  if (place.dialect === 'sqlite' && !existsSync(place.file)) {
    const hint = 'Run "orgctx quickstart" or "orgctx serve" to make it, or correct DATA_DIR or DATABASE_URL.';
    return { outcome: fail(`There is no database at ${place.file}.`, hint) };
  }
  const evidence =
    place.dialect === 'sqlite'
      ? { dialect: place.dialect, file: place.file }
      : { dialect: place.dialect, host: place.host, database: place.database };
  try {
    const database = await openDatabase();
    return { database, outcome: pass('It opens and answers.', evidence) };
  } catch (error) {
    onFault('database', error);
    return { outcome: { ...failureOf(error), evidence } };
  }
}

async function ran<Needs>(
  { id, title, run }: Check<Needs>,
  host: Needs,
  { signal, onFault, timeoutMs = usualTimeoutMs }: DoctorOptions,
): Promise<CheckResult> {
  signal.throwIfAborted();
  const timeout = AbortSignal.timeout(timeoutMs);
  const ended = AbortSignal.any([timeout, signal]);
  const aborted = new Promise<never>((_resolve, reject) => {
    ended.addEventListener('abort', () => reject(ended.reason as Error), { once: true });
  });
  try {
    return { id, title, ...(await Promise.race([run(host), aborted])) };
  } catch (error) {
    signal.throwIfAborted();
    onFault(id, error);
    if (!timeout.aborted) return { id, title, ...failureOf(error) };
    return {
      id,
      title,
      ...fail(`No answer within ${timeoutMs} ms.`, 'Look at the load of this host, then run it again.'),
    };
  }
}

function without({ id, title }: Pick<CheckResult, 'id' | 'title'>, why: string): CheckResult {
  return { id, title, ...skipped(why) };
}

/** Messages of our own errors are made for people and hold no secret; others are not repeated. */
function failureOf(error: unknown): CheckOutcome {
  if (error instanceof OrgctxError)
    return fail(error.message, 'Mend what it names, then run "orgctx doctor" again.');
  const name = error instanceof Error ? error.name : typeof error;
  return fail(`It could not be looked at (${name}).`, 'Run it with LOG_LEVEL=debug to see the whole error.');
}

import { setTimeout as sleep } from 'node:timers/promises';
import { errorCode } from '../kernel/error-code.ts';
import { Unavailable } from '../kernel/errors.ts';
import type { Logger } from '../telemetry/logger.ts';

const maxRuns = 6;
const firstDelayMs = 10;

/** Returns whether SQLite refused a statement because another connection holds a lock of the file. */
export function isSqliteBusy(error: unknown): boolean {
  return errorCode(error)?.startsWith('SQLITE_BUSY') === true;
}

/** Returns whether the same transaction may succeed on a retry: a held lock, a deadlock, a lost serialization race. */
function isTransient(error: unknown): boolean {
  return isSqliteBusy(error) || /^SQLITE_LOCKED|^(?:40001|40P01)$/.test(errorCode(error) ?? '');
}

/**
 * Runs a transaction, or a single statement, and retries it on transient errors, with at most 6 runs. The back-off is
 * a random part of 10 ms, doubled each time.
 * @throws Unavailable `database_busy` after the last run
 */
export async function retryTransaction<T>(run: () => Promise<T>, log: Logger): Promise<T> {
  for (let runs = 1; ; runs += 1) {
    try {
      return await run();
    } catch (error) {
      if (!isTransient(error)) throw error;
      if (runs === maxRuns) throw databaseBusy(error);
      log.debug({ code: errorCode(error), runs }, 'transaction retried');
      await sleep(Math.random() * firstDelayMs * 2 ** runs);
    }
  }
}

/** Returns the error for a database that another program or transaction keeps locked. */
export function databaseBusy(cause: unknown): Unavailable {
  return new Unavailable(
    'database_busy',
    'The database is busy: another program writes to it. Try again in a moment.',
    { cause, retryAfter: 1 },
  );
}

export function isDatabaseBusy(error: unknown): boolean {
  return error instanceof Unavailable && error.code === 'database_busy';
}

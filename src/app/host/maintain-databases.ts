import { truncateWal } from '../../foundation/db/sqlite/sqlite-wal.ts';
import { type Repeating, repeatEvery } from '../../foundation/jobs/worker/repeat.ts';
import { derivedDatabaseOf } from '../../foundation/kernel/data-folder.ts';
import type { Logger } from '../../foundation/telemetry/logger.ts';
import { openDerivedDatabase, type Settings } from '../open/open-database.ts';

/** Interval between two truncations of the write-ahead logs, in milliseconds. */
const hourlyMs = 3_600_000;

/**
 * Opens the store of derived data, and truncates the write-ahead logs of both SQLite files regularly. It runs in the
 * worker, which writes most, so that a truncation blocks the requests of the server no more than other writes.
 */
export async function maintainDatabases(
  settings: Settings,
  log: Logger,
  intervalMs = hourlyMs,
): Promise<Repeating> {
  const derived = await openDerivedDatabase(settings, 'worker', log);
  const truncation = repeatEvery(
    intervalMs,
    () => truncateLogs(settings, log),
    (error) => log.warn({ err: error }, 'truncating the write-ahead log failed; it will be retried'),
  );
  return {
    stop: async () => {
      await truncation.stop();
      await derived.close();
    },
  };
}

async function truncateLogs({ config }: Settings, log: Logger): Promise<void> {
  if (config.database.dialect !== 'sqlite') return;
  for (const file of [config.database.file, derivedDatabaseOf(config.database.file)]) {
    if (!(await truncateWal(file))) {
      log.debug({ file }, 'the write-ahead log is in use; it will be truncated later');
    }
  }
}

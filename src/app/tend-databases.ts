import { truncateWal } from '../foundation/db/sqlite-wal.ts';
import { type Repeating, repeatEvery } from '../foundation/jobs/repeat.ts';
import { dataFolder } from '../foundation/kernel/data-folder.ts';
import type { Logger } from '../foundation/telemetry/logger.ts';
import { openDerivedDatabase, type Settings } from './open-database.ts';

/** Between two cuts of the write-ahead logs, in milliseconds. */
const hourlyMs = 3_600_000;

/**
 * Makes sure of the store of derived data, and keeps the logs of both SQLite files short from then on. For the
 * worker: it writes most, and a cut makes the server's requests wait for no other process than usual.
 */
export async function tendDatabases(
  settings: Settings,
  log: Logger,
  intervalMs = hourlyMs,
): Promise<Repeating> {
  const derived = await openDerivedDatabase(settings, 'worker', log);
  const cutting = repeatEvery(
    intervalMs,
    async () => cutLogs(settings, log),
    (error) => log.warn({ err: error }, 'the write-ahead log was not cut'),
  );
  return {
    stop: async () => {
      await cutting.stop();
      await derived.close();
    },
  };
}

function cutLogs({ config }: Settings, log: Logger): void {
  if (config.database.dialect !== 'sqlite') return;
  for (const file of [config.database.file, dataFolder(config.dataDir).derivedDatabase]) {
    if (!truncateWal(file)) log.debug({ file }, 'the write-ahead log is in use; it is cut the next time');
  }
}

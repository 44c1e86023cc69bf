import { repositoryBacklog } from '../../features/repositories/reconciling/repository-backlog.ts';
import type { Config } from '../../foundation/config/config.ts';
import type { Database } from '../../foundation/db/database.ts';
import { walBytes } from '../../foundation/db/sqlite/sqlite-wal.ts';
import { queueStatus } from '../../foundation/jobs/inspect/queue-status.ts';
import { systemClock } from '../../foundation/kernel/clock.ts';
import type { GaugeReading, Metrics } from '../../foundation/telemetry/metrics.ts';

/**
 * Registers the gauges of the whole deployment. The server reports them, because there is one, and it still runs if
 * no worker processes the queue. The returned function reads them a last time, before the database is closed.
 */
export function observeDeployment(
  metrics: Metrics,
  database: Database,
  { database: place }: Pick<Config, 'database'>,
): () => Promise<void> {
  const readers: (() => Promise<readonly GaugeReading[]>)[] = [
    () => queueGauges(database),
    () => repositoryGauges(database),
  ];
  if (place.dialect === 'sqlite') {
    readers.push(async () => [{ name: 'orgctx.database.wal', value: walBytes(place.file) }]);
  }
  const readLast = readers.map((read) => metrics.observe(read));
  return async () => {
    await Promise.all(readLast.map((read) => read()));
  };
}

async function queueGauges({ queries }: Database): Promise<readonly GaugeReading[]> {
  const { ready, running, dead, oldestDueMs } = await queueStatus(queries, systemClock);
  return [
    jobsIn('ready', ready),
    jobsIn('running', running),
    jobsIn('dead', dead),
    { name: 'orgctx.queue.oldest_due', value: oldestDueMs / 1_000 },
  ];
}

function jobsIn(state: string, value: number): GaugeReading {
  return { name: 'orgctx.queue.jobs', value, attributes: { state } };
}

async function repositoryGauges({ queries }: Database): Promise<readonly GaugeReading[]> {
  const { states, lagMs } = await repositoryBacklog(queries, systemClock());
  return [
    ...states.map(({ state, count }) => ({
      name: 'orgctx.repositories' as const,
      value: count,
      attributes: { state },
    })),
    { name: 'orgctx.index.lag', value: lagMs / 1_000 },
  ];
}

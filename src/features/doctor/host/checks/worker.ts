import { listWorkers, type SeenWorker } from '../../../../foundation/jobs/inspect/list-workers.ts';
import { readQueueTime } from '../../../../foundation/jobs/queue-time.ts';
import { isoTime } from '../../../../foundation/kernel/clock.ts';
import { counted } from '../../../../foundation/kernel/text/counted.ts';
import { type CheckOutcome, type DatabaseCheck, pass, warning } from '../check.ts';

/** Maximum age of the heartbeat of a running worker, in milliseconds. It is written every 10 s. */
const overdueMs = 60_000;

const hint = 'Start "orgctx worker", or "orgctx serve" without --no-worker, and check its log.';

/** Checks by the heartbeats in the database that a worker runs. A worker that stops removes its own. */
export const workerCheck: DatabaseCheck = {
  id: 'worker',
  title: 'Worker',
  async run({ database: { queries }, clock }) {
    return judgeWorkers(await listWorkers(queries), await readQueueTime(queries, clock));
  },
};

function judgeWorkers(workers: readonly SeenWorker[], now: number): CheckOutcome {
  const [newest] = workers;
  if (newest === undefined) return warning('No worker is running.', hint);
  const running = workers.filter(({ seenAt }) => now - seenAt <= overdueMs).length;
  const { host, pid, version, seenAt } = newest;
  const evidence = { running, host, pid, version, seenAt: isoTime(seenAt) };
  if (running > 0) return pass(`${counted(running, 'worker runs', 'workers run')}.`, evidence);
  return warning(
    `No worker is running. Process ${pid} on ${host} did not stop by itself; its last heartbeat was at ${isoTime(seenAt)}.`,
    hint,
    evidence,
  );
}

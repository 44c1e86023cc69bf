import { type QueueStatus, queueStatus } from '../../../../foundation/jobs/queue-status.ts';
import { type CheckOutcome, type DatabaseCheck, pass, warning } from '../check.ts';

/** A worker that runs takes a due job within seconds; under load minutes may pass. */
const lateMs = 10 * 60_000;

export const queueCheck: DatabaseCheck = {
  id: 'queue',
  title: 'Queue',
  run: async ({ database, clock }) => judgeQueue(await queueStatus(database.queries, clock)),
};

function judgeQueue({ ready, running, dead, oldestDueMs }: QueueStatus): CheckOutcome {
  const evidence = { ready, running, dead, oldestDueMs };
  if (oldestDueMs > lateMs) {
    return warning(
      `A job has been due for ${Math.round(oldestDueMs / 60_000)} minutes.`,
      'See that a worker runs ("orgctx serve" starts one unless --no-worker) and what its log says.',
      evidence,
    );
  }
  if (dead > 0) {
    return warning(
      `${dead} jobs were given up.`,
      'See "orgctx jobs list" for why, then "orgctx jobs retry" or "orgctx jobs discard".',
      evidence,
    );
  }
  return pass(`${ready} jobs wait, ${running} run.`, evidence);
}

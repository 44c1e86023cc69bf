import { type QueueStatus, queueStatus } from '../../../../foundation/jobs/inspect/queue-status.ts';
import { type CheckOutcome, type DatabaseCheck, pass, warning } from '../check.ts';

/** Maximum wait of a due job, in milliseconds. A worker takes it within seconds, or within minutes under load. */
const overdueMs = 10 * 60_000;

export const queueCheck: DatabaseCheck = {
  id: 'queue',
  title: 'Queue',
  run: async ({ database, clock }) => judgeQueue(await queueStatus(database.queries, clock)),
};

function judgeQueue({ ready, running, dead, oldestDueMs }: QueueStatus): CheckOutcome {
  const evidence = { ready, running, dead, oldestDueMs };
  if (oldestDueMs > overdueMs) {
    return warning(
      `A job has been due for ${Math.round(oldestDueMs / 60_000)} minutes.`,
      'Check that a worker runs ("orgctx serve" starts one unless --no-worker), and check its log.',
      evidence,
    );
  }
  if (dead > 0) {
    return warning(
      dead === 1 ? '1 job is dead.' : `${dead} jobs are dead.`,
      'Run "orgctx jobs list" for the reasons, then "orgctx jobs retry" or "orgctx jobs discard".',
      evidence,
    );
  }
  return pass(`${ready} jobs are pending, ${running} are running.`, evidence);
}

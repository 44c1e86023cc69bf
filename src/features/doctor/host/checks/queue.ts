import { type QueueStatus, queueStatus } from '../../../../foundation/jobs/inspect/queue-status.ts';
import { counted } from '../../../../foundation/kernel/text/counted.ts';
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
      `A job has been due for ${counted(Math.round(oldestDueMs / 60_000), 'minute')}.`,
      'Check that a worker runs ("orgctx serve" starts one unless --no-worker), and check its log.',
      evidence,
    );
  }
  if (dead > 0) {
    return warning(
      `${counted(dead, 'job is', 'jobs are')} dead.`,
      'Run "orgctx jobs list" for the reasons, then "orgctx jobs retry" or "orgctx jobs discard".',
      evidence,
    );
  }
  return pass(
    `${counted(ready, 'job is', 'jobs are')} pending, ${running} ${running === 1 ? 'is' : 'are'} running.`,
    evidence,
  );
}

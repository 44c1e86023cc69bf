import { listStoppers, type Stopper } from '../../../../foundation/jobs/inspect/list-stoppers.ts';
import { type QueueStatus, queueStatus } from '../../../../foundation/jobs/inspect/queue-status.ts';
import { counted } from '../../../../foundation/kernel/text/counted.ts';
import { type CheckOutcome, type DatabaseCheck, pass, warning } from '../check.ts';

/** Maximum number of jobs that the report names. */
const maxNamed = 5;

/** Maximum wait of a due job, in milliseconds. A worker takes it within seconds, or within minutes under load. */
const overdueMs = 10 * 60_000;

export const queueCheck: DatabaseCheck = {
  id: 'queue',
  title: 'Queue',
  async run({ database: { queries }, clock }) {
    return judgeQueue(await queueStatus(queries, clock), await listStoppers(queries, maxNamed));
  },
};

function judgeQueue(
  { ready, running, dead, oldestDueMs }: QueueStatus,
  stoppers: readonly Stopper[],
): CheckOutcome {
  const evidence = { ready, running, dead, oldestDueMs };
  if (oldestDueMs > overdueMs) {
    return warning(
      `A job has been due for ${counted(Math.round(oldestDueMs / 60_000), 'minute')}.`,
      'Check that a worker runs ("orgctx serve" starts one unless --no-worker), and check its log.',
      evidence,
    );
  }
  if (stoppers.length > 0) {
    const names = stoppers.map(({ id, task, key }) => `${task} of ${key ?? 'no key'} (job ${id})`);
    return warning(
      `Stopped its worker and was given up: ${names.join(', ')}.`,
      'See the reason with "orgctx jobs list". The job runs again, alone, when its input changes or after "orgctx jobs retry".',
      { ...evidence, stoppers: stoppers.map(({ id }) => id).join(' ') },
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

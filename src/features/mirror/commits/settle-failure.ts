import type { JobContext } from '../../../foundation/jobs/handler.ts';
import { deleteDeadJobs } from '../../../foundation/jobs/inspect/retry-jobs.ts';
import { LeaseLost } from '../../../foundation/jobs/lease/lease-lost.ts';
import { readQueueTime } from '../../../foundation/jobs/queue-time.ts';
import { isLastRun, isPermanent } from '../../../foundation/jobs/retry-decision.ts';
import { OrgctxError } from '../../../foundation/kernel/errors.ts';
import type { MirrorDeps } from '../mirror-deps.ts';
import type { MirrorTarget } from '../mirror-target.ts';
import { recordError } from '../mirror-target-store.ts';
import { mirrorCommit } from '../tasks.ts';

/** Records a failure on the target if the job will not be retried. */
export async function settleFailure(
  { database, clock }: MirrorDeps,
  target: MirrorTarget,
  context: JobContext,
  error: unknown,
): Promise<void> {
  if (context.signal.aborted || error instanceof LeaseLost) return;
  if (!isLastRun(error, context)) return;
  await database.transaction(async (tx) => {
    await context.assertHeld(tx);
    const at = await readQueueTime(tx, clock);
    await recordError(tx, target.id, { ...describeError(error), permanent: isPermanent(error), at });
    // The job of this run becomes dead next; one dead job per target is enough to inspect and retry.
    await deleteDeadJobs(tx, mirrorCommit, target.id);
  });
}

function describeError(error: unknown): { readonly code: string; readonly message: string } {
  if (error instanceof OrgctxError) return { code: error.code, message: error.message };
  const message =
    'An unexpected error stopped the mirroring; the log of the worker contains it. It will be retried automatically.';
  return { code: 'internal', message };
}

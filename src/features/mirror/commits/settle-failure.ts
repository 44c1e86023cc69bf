import { enqueue } from '../../../foundation/jobs/enqueue.ts';
import type { JobContext } from '../../../foundation/jobs/handler.ts';
import { deleteDeadJobs } from '../../../foundation/jobs/inspect/retry-jobs.ts';
import { LeaseLost } from '../../../foundation/jobs/lease/lease-lost.ts';
import { readQueueTime } from '../../../foundation/jobs/queue-time.ts';
import { isLastRun, isPermanent } from '../../../foundation/jobs/retry-decision.ts';
import { OrgctxError } from '../../../foundation/kernel/errors.ts';
import type { MirrorDeps } from '../mirror-deps.ts';
import { type MirrorTarget, retryDelay } from '../mirror-target.ts';
import { recordError } from '../mirror-target-store.ts';
import { mirrorCommit } from '../tasks.ts';

/**
 * Records a failure on the target and plans the next attempt, if the queue would give up: refusals end without a change
 * here, when a person gives a right back or takes a protection away. Returns whether it did.
 */
export async function settleFailure(
  { database, clock, errorChanged }: MirrorDeps,
  target: MirrorTarget,
  context: JobContext,
  error: unknown,
): Promise<boolean> {
  if (context.signal.aborted || error instanceof LeaseLost) return false;
  if (!isLastRun(error, context)) return false;
  const { code, message } = describeError(error);
  const failures = (target.error?.failures ?? 0) + 1;
  context.log.warn({ err: error, targetId: target.id, failures }, 'a context repository takes no commits');
  await database.transaction(async (tx) => {
    await context.assertHeld(tx);
    const at = await readQueueTime(tx, clock);
    const retryAt = at + retryDelay(failures);
    const permanent = isPermanent(error);
    await recordError(tx, target.id, { code, message, permanent, at, failures, retryAt });
    await enqueue(tx, mirrorCommit, { targetId: target.id }, { runAt: retryAt });
    await deleteDeadJobs(tx, mirrorCommit, target.id);
    if (code !== target.error?.code || message !== target.error.message) await errorChanged?.(tx, target);
  });
  return true;
}

function describeError(error: unknown): { readonly code: string; readonly message: string } {
  if (error instanceof OrgctxError) return { code: error.code, message: error.message };
  const message =
    'An unexpected error stopped the mirroring; the log of the worker contains it. It will be retried automatically.';
  return { code: 'internal', message };
}

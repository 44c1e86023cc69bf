import type { JobContext } from '../../foundation/jobs/handler.ts';
import { LeaseLost } from '../../foundation/jobs/lease-lost.ts';
import { readQueueTime } from '../../foundation/jobs/queue-time.ts';
import { forgetDeadJobs } from '../../foundation/jobs/retry-jobs.ts';
import { isLastRun, isPermanent } from '../../foundation/jobs/verdict.ts';
import { OrgctxError } from '../../foundation/kernel/errors.ts';
import type { MirrorDeps } from './mirror-deps.ts';
import type { MirrorTarget } from './mirror-target.ts';
import { recordError } from './mirror-target-store.ts';
import { mirrorCommit } from './tasks.ts';

/** Shows on the target why its changes wait, once no further run is to follow by itself. */
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
    await recordError(tx, target.id, { ...wordsFor(error), permanent: isPermanent(error), at });
    // This run's job is about to be dead itself, and one of them is enough to look at and to retry.
    await forgetDeadJobs(tx, mirrorCommit, target.id);
  });
}

function wordsFor(error: unknown): { readonly code: string; readonly message: string } {
  if (error instanceof OrgctxError) return { code: error.code, message: error.message };
  const message =
    'An unexpected fault stopped the mirroring; the log of the worker says more. It is tried again by itself.';
  return { code: 'internal', message };
}

import { enqueue } from '../../foundation/jobs/enqueue.ts';
import { keyedJobs } from '../../foundation/jobs/keyed-jobs.ts';
import { readQueueTime } from '../../foundation/jobs/queue-time.ts';
import type { MirrorDeps } from './mirror-deps.ts';
import { errorHoldMs, type MirrorTarget } from './mirror-target.ts';
import { findTarget, listWaitingTargets, presentTargets } from './mirror-target-store.ts';
import { listCopies, removeCopy } from './target-copy.ts';
import { mirrorCommit } from './tasks.ts';

/**
 * At the start of a worker and now and then while it runs: changes whose job is gone or was given up get a new one, and
 * the local copies of removed targets go. Cheap when all is well.
 */
export async function tendMirror(deps: Pick<MirrorDeps, 'database' | 'clock' | 'git'>): Promise<void> {
  for (const target of await listWaitingTargets(deps.database.queries)) await resume(deps, target);
  await sweepCopies(deps);
}

/**
 * What only a person can mend is left alone: whoever mends it retries the job, or the next change does. A failure that
 * may pass is tried again after a while, for ever: hosts come back.
 */
async function resume(
  { database, clock }: Pick<MirrorDeps, 'database' | 'clock'>,
  { id }: MirrorTarget,
): Promise<void> {
  await database.transaction(async (tx) => {
    const target = await findTarget(tx, id);
    if (target === undefined || target.error?.permanent === true) return;
    if (target.error !== undefined && target.error.at + errorHoldMs > (await readQueueTime(tx, clock)))
      return;
    if ((await keyedJobs(tx, [mirrorCommit], id)).pending) return;
    await enqueue(tx, mirrorCommit, { targetId: id });
  });
}

/** The names first: a copy that is there has had its row for longer. */
async function sweepCopies({ database, git }: Pick<MirrorDeps, 'database' | 'git'>): Promise<void> {
  const copies = await listCopies(git.dataDir);
  const present = await presentTargets(database.queries, [...new Set(copies.map((each) => each.targetId))]);
  for (const { path, targetId } of copies) if (!present.has(targetId)) await removeCopy(path);
}

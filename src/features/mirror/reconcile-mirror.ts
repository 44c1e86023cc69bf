import { glob, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { enqueue } from '../../foundation/jobs/enqueue.ts';
import { keyedJobs } from '../../foundation/jobs/inspect/keyed-jobs.ts';
import { dataFolder } from '../../foundation/kernel/data-folder.ts';
import type { MirrorTargetId } from '../../foundation/kernel/ids.ts';
import { isCommittable } from './committable-changes.ts';
import type { MirrorDeps } from './mirror-deps.ts';
import type { MirrorTarget } from './mirror-target.ts';
import { findTarget } from './mirror-target-store.ts';
import { mirrorCommit } from './tasks.ts';

/**
 * Enqueues a job for pending changes whose job is missing or dead, and deletes local copies of removed targets. Runs
 * at the start of a worker and at intervals. Cheap if there is nothing to do.
 */
export async function reconcileMirror(deps: Pick<MirrorDeps, 'database' | 'git'>): Promise<void> {
  const { queries } = deps.database;
  const committable = queries.selectFrom('mirror_changes').where(isCommittable);
  const waiting = await committable.select('target_id').distinct().execute();
  for (const { target_id: id } of waiting) await resume(deps, id as MirrorTargetId);
  await deleteOrphanedCopies(deps);
}

/**
 * Enqueues a job for a target that has none, no sooner than the next attempt after a failure. A commit that stopped its
 * worker is repeated by the next change, or by a person.
 */
async function resume({ database }: Pick<MirrorDeps, 'database'>, id: MirrorTargetId): Promise<void> {
  await database.transaction(async (tx) => {
    const { pending, stopReason } = await keyedJobs(tx, [mirrorCommit], id);
    if (pending || stopReason !== undefined) return;
    const target = await findTarget(tx, id);
    if (target !== undefined)
      await enqueue(tx, mirrorCommit, { targetId: id }, { runAt: target.error?.retryAt ?? 0 });
  });
}

/**
 * Deletes the copies without a target, also leftovers of killed clones. Lists copies before targets, because the row
 * of a target is older than its copy.
 */
async function deleteOrphanedCopies({ database, git }: Pick<MirrorDeps, 'database' | 'git'>): Promise<void> {
  const root = dataFolder(git.dataDir).mirror;
  const copies: string[] = [];
  for await (const copy of glob('*/*', { cwd: root })) copies.push(copy);
  if (copies.length === 0) return;
  const rows = await database.queries
    .selectFrom('mirror_targets')
    .select('id')
    .where('id', 'in', copies.map(idOf))
    .execute();
  const existing = new Set(rows.map(({ id }) => id));
  for (const copy of copies.filter((each) => !existing.has(idOf(each))))
    await rm(join(root, copy), { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
}

/** Returns the id of the target of a copy, or of a leftover. */
function idOf(copy: string): string {
  return basename(copy).replace(/\.git(?:\.[^]*)?$/, '');
}

/**
 * Returns the path of the local copy on which commits of a target are written, in the folder of its organization. It
 * is a cache.
 */
export function copyPath(dataDir: string, target: Pick<MirrorTarget, 'id' | 'organizationId'>): string {
  return join(dataFolder(dataDir).mirror, target.organizationId, `${target.id}.git`);
}

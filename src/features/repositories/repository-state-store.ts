import type { IndexStatus } from '../../backends/codesearch/port.ts';
import type { Queries } from '../../foundation/db/database.ts';
import type { RepositoryId } from '../../foundation/kernel/ids.ts';
import type { OrgScope } from '../../foundation/kernel/org-scope.ts';
import type { Progress } from '../../foundation/kernel/progress.ts';
import { type RepositoryError, type RepositoryState, statesBefore } from './repository.ts';

/** Which row a change is for. */
export interface RepositoryRef {
  readonly scope: OrgScope;
  readonly id: RepositoryId;
}

/**
 * Moves to `to` where the state table allows it from the present state; `from` narrows that further. False when it
 * does not, most often because the repository is being removed: then the caller stops.
 */
export async function changeState(
  queries: Queries,
  ref: RepositoryRef,
  to: RepositoryState,
  now: number,
  from: readonly RepositoryState[] = statesBefore(to),
): Promise<boolean> {
  const result = await updateOf(queries, ref)
    .set({ state: to, state_changed_at: now, progress: null, ...(to === 'indexed' ? { error: null } : {}) })
    .where('state', 'in', from)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Shows how far the work of `state` is. False when the row is no longer in it: then the work stops. */
export async function showProgress(
  queries: Queries,
  ref: RepositoryRef,
  state: RepositoryState,
  progress: Progress,
): Promise<boolean> {
  const result = await updateOf(queries, ref)
    .set({ progress: JSON.stringify(progress) })
    .where('state', '=', state)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/**
 * Notes why a run failed; `final` when no retry follows. A repository being removed is left alone unless `from`, the
 * states in which the note counts, names that one.
 */
export async function recordFailure(
  queries: Queries,
  ref: RepositoryRef,
  failure: { readonly error: RepositoryError; readonly final: boolean },
  now: number,
  from: readonly RepositoryState[] = statesBefore('failed'),
): Promise<void> {
  const error = JSON.stringify(failure.error);
  await updateOf(queries, ref)
    .set(
      failure.final
        ? { error, progress: null, state: 'failed', state_changed_at: now }
        : { error, progress: null },
    )
    .where('state', 'in', from)
    .execute();
}

/** Makes the row speak of what the manifest holds; the state stays. A commit keeps the time it was first indexed. */
export async function recordIndex(
  queries: Queries,
  ref: RepositoryRef,
  status: IndexStatus,
  now: number,
): Promise<void> {
  await updateOf(queries, ref)
    .set((e) => ({
      indexed_at: e
        .case()
        .when('indexed_commit', '=', status.commit)
        .then(e.fn.coalesce('indexed_at', e.val(now)))
        .else(now)
        .end(),
      indexed_commit: status.commit,
      index_generation: status.generation,
      indexed_branches: JSON.stringify(status.branches),
      files: status.files,
      bytes: status.bytes,
      skipped: JSON.stringify(status.skipped),
    }))
    .execute();
}

/** Notes branches that were asked for and are not mirrored, counted by reason. */
export async function recordLeftOut(
  queries: Queries,
  ref: RepositoryRef,
  leftOut: Readonly<Record<string, number>>,
): Promise<void> {
  await updateOf(queries, ref)
    .set({ left_out_branches: JSON.stringify(leftOut) })
    .execute();
}

/** The end of a repository: only one that is being removed. */
export async function deleteRepository(queries: Queries, ref: RepositoryRef): Promise<void> {
  await queries
    .deleteFrom('repositories')
    .where('id', '=', ref.id)
    .where('organization_id', '=', ref.scope.organizationId)
    .where('state', '=', 'removing')
    .execute();
}

function updateOf(queries: Queries, { scope, id }: RepositoryRef) {
  return queries
    .updateTable('repositories')
    .where('id', '=', id)
    .where('organization_id', '=', scope.organizationId);
}

import type { IndexStatus } from '../../backends/codesearch/port.ts';
import type { Queries } from '../../foundation/db/database.ts';
import type { RepositoryId } from '../../foundation/kernel/ids.ts';
import type { OrgScope } from '../../foundation/kernel/org-scope.ts';
import type { Progress } from '../../foundation/kernel/text/progress.ts';
import { type LeftOutFiles, type RepositoryError, type RepositoryState, statesBefore } from './repository.ts';

/** Identifies a repository and its organization. */
export interface RepositoryRef {
  readonly scope: OrgScope;
  readonly id: RepositoryId;
}

/**
 * Changes the state to `to` if the state table allows it from the current state; `from` restricts this further.
 * Returns false if it is not allowed, usually because the repository is being removed; the caller must then stop.
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

/**
 * Saves the progress of the work of `state`. Returns false if the row has left that state; the work must then stop.
 */
export async function saveProgress(
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
 * Records why a run failed; `final` if no retry follows. Changes only rows in the states `from`, which by default
 * exclude a repository that is being removed.
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

/** Copies the status of the manifest to the row; the state stays. A commit keeps the time it was first indexed. */
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
      files_without_definitions: status.filesWithoutDefinitions,
      bytes: status.bytes,
      skipped: JSON.stringify(status.skipped),
    }))
    .execute();
}

/** Records the commit up to which the knowledge graph contains the repository, and the files that it left out. */
export async function recordGraph(
  queries: Queries,
  ref: RepositoryRef,
  commit: string,
  leftOut: LeftOutFiles,
): Promise<void> {
  await updateOf(queries, ref)
    .set({ graph_commit: commit, graph_left_out: JSON.stringify(leftOut) })
    .execute();
}

/** Records the number of requested branches that are not mirrored, by reason. */
export async function recordSkippedBranches(
  queries: Queries,
  ref: RepositoryRef,
  skippedBranches: Readonly<Record<string, number>>,
): Promise<void> {
  await updateOf(queries, ref)
    .set({ left_out_branches: JSON.stringify(skippedBranches) })
    .execute();
}

/** Deletes a repository that is being removed. */
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

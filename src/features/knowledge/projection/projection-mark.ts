import { createHash } from 'node:crypto';
import type { DerivedDatabase } from '../../../foundation/db/derived/open-derived.ts';
import { parseJsonColumn } from '../../../foundation/db/json-column.ts';
import { type LeftOutFiles, leftOutFiles, nothingLeftOut } from './left-out-files.ts';
import type { ProjectedRepository } from './projected-repositories.ts';

/** The progress of the projection of a repository. It is lost together with the graph. */
export interface ProjectionMark {
  /** The commit whose files are in the graph; `undefined` before the first time. */
  readonly commit: string | undefined;
  /** The commit whose files are being written. What is set here by a run that was killed may be in the graph too. */
  readonly target: string | undefined;
  /** The inputs of the facts besides the files: `basisOf`, then a dot and the id of `.mailmap`. */
  readonly basis: string;
  /** The newest commit of the history that was not projected yet. */
  readonly rest: string | undefined;
  /** Hash of the renames that commits are linked with. Another one changes all commits. */
  readonly renames: string;
  /** The files of `commit` that could not be read; none while `target` is set. */
  readonly leftOut: LeftOutFiles;
}

/** Increase it with every change of the rules that links are made by, and of what reads the files. */
export const rulesVersion = 13;

/** Returns a hash of what facts depend on besides the content of the repository. */
export function basisOf({ name, source, hosted, sources }: ProjectedRepository): string {
  const ordered = sources.map(({ connectionId, records }) => `${records.root} ${connectionId}`).toSorted();
  const input = JSON.stringify([rulesVersion, name, source, hosted ?? null, ordered]);
  return createHash('sha256').update(input).digest('hex').slice(0, 32);
}

export async function readMark(
  { queries }: Pick<DerivedDatabase, 'queries'>,
  repositoryId: string,
): Promise<ProjectionMark | undefined> {
  const row = await queries
    .selectFrom('projection_marks')
    .selectAll()
    .where('repository_id', '=', repositoryId)
    .executeTakeFirst();
  return (
    row && {
      commit: row.commit_id === '' ? undefined : row.commit_id,
      target: row.target ?? undefined,
      basis: row.basis ?? '',
      rest: row.rest ?? undefined,
      renames: row.renames ?? '',
      leftOut: parseJsonColumn(leftOutFiles, row.left_out) ?? nothingLeftOut,
    }
  );
}

export async function writeMark(
  { transaction }: Pick<DerivedDatabase, 'transaction'>,
  repositoryId: string,
  { commit = '', target, basis, rest, renames, leftOut }: ProjectionMark,
): Promise<void> {
  const values = {
    commit_id: commit,
    target: target ?? null,
    basis,
    rest: rest ?? null,
    renames,
    left_out: JSON.stringify(leftOut),
    projected_at: Date.now(),
  };
  await transaction((tx) =>
    tx
      .insertInto('projection_marks')
      .values({ repository_id: repositoryId, ...values })
      .onConflict((conflict) => conflict.column('repository_id').doUpdateSet(values))
      .execute(),
  );
}

export async function deleteMark(
  { transaction }: Pick<DerivedDatabase, 'transaction'>,
  repositoryId: string,
): Promise<void> {
  await transaction((tx) =>
    tx.deleteFrom('projection_marks').where('repository_id', '=', repositoryId).execute(),
  );
}

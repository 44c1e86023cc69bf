import type { Queries } from '../../../foundation/db/database.ts';
import { listTargetErrors } from '../../mirror/mirror-target-store.ts';
import type { Connection, SyncRun } from '../connections/connection.ts';
import { countJobs, listJobErrors, type ReportedError } from './lane-jobs.ts';
import { countLost, countMirrored, countUncommitted, listNotes, listProgress } from './mirrored-counts.ts';

/** The numbers of mirrored, waiting and failed entities of a connection, and its errors. */
export interface ConnectionHealth {
  readonly counts: {
    /** Records whose file is on the branch. */
    readonly mirrored: number;
    /** Edited records that wait for their update, files that wait for their commit, and files that the branch has lost. */
    readonly pending: number;
    /** Jobs that were given up. */
    readonly failed: number;
  };
  /** Newest first. */
  readonly errors: readonly ReportedError[];
  /** `undefined` while its content is not compared. */
  readonly progress: SyncRun | undefined;
}

/** Maximum number of errors of a connection (contract section 7). */
const maxErrors = 20;

type Watched = Pick<Connection, 'id' | 'binding'>;

/** Returns the health of connections by id. The number of queries does not depend on the number of connections. */
export async function readHealth(
  queries: Queries,
  connections: readonly Watched[],
): Promise<ReadonlyMap<string, ConnectionHealth>> {
  const ids = connections.map(({ id }) => id);
  if (ids.length === 0) return new Map();
  const targets = connections.flatMap(({ binding }) => binding?.targetId ?? []);
  const mirrored = await countMirrored(queries, ids);
  const uncommitted = await countUncommitted(queries, ids, targets);
  const lost = await countLost(queries, ids, targets);
  const edits = await countJobs(queries, ids, 'edits');
  const failed = await countJobs(queries, ids, 'dead');
  const failures = await listJobErrors(queries, ids, maxErrors);
  const refused = await listTargetErrors(queries, targets);
  const notes = await listNotes(queries, ids);
  const progress = await listProgress(queries, ids);
  return new Map(
    connections.map(({ id, binding }) => [
      id,
      {
        counts: {
          mirrored: mirrored.get(id) ?? 0,
          pending: [edits, uncommitted, lost].reduce((sum, counts) => sum + (counts.get(id) ?? 0), 0),
          failed: failed.get(id) ?? 0,
        },
        errors: newest([
          ...(failures.get(id) ?? []),
          ...(notes.get(id) ?? []),
          ...[binding && refused.get(binding.targetId)].filter((error) => error !== undefined),
        ]),
        progress: progress.get(id),
      },
    ]),
  );
}

/** Returns the newest errors, without the further fields of jobs and notes. */
function newest(errors: readonly ReportedError[]): readonly ReportedError[] {
  return errors
    .map(({ code, message, at, retryAt }) => ({ code, message, at, retryAt }))
    .toSorted((a, b) => b.at - a.at)
    .slice(0, maxErrors);
}

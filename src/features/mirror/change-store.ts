import { randomUUID } from 'node:crypto';
import { type Insertable, sql } from 'kysely';
import type { Queries } from '../../foundation/db/database.ts';
import { dialectOf } from '../../foundation/db/dialect.ts';
import { givenRows, givenValues } from '../../foundation/db/given-rows.ts';
import { fromNewRow, preparedInsert } from '../../foundation/db/prepared-insert.ts';
import type { Tables } from '../../foundation/db/tables.ts';
import { enqueue } from '../../foundation/jobs/enqueue.ts';
import { queueNow } from '../../foundation/jobs/queue-time.ts';
import { systemClock } from '../../foundation/kernel/clock.ts';
import { NotFound } from '../../foundation/kernel/errors.ts';
import type { ConnectionId, MirrorTargetId } from '../../foundation/kernel/ids.ts';
import { isCommittable } from './committable-changes.ts';
import { type ChangeClass, changeClasses, checkedChanges, type NewChange } from './mirror-change.ts';
import { earliestCommitTime, earliestRetryTime } from './mirror-target.ts';
import { findTarget, toTarget } from './mirror-target-store.ts';
import { slicesOf } from './slices.ts';
import { mirrorCommit } from './tasks.ts';

/** One pending change without its content. `number` and `revision` together identify one write of one path. */
export interface PendingChange {
  readonly number: number;
  readonly revision: string;
  readonly path: string;
  readonly bytes: number;
  readonly connectionId: ConnectionId;
  readonly origin: string;
}

/** The content of one write. */
export interface ChangeContent extends Pick<PendingChange, 'number' | 'revision' | 'path' | 'connectionId'> {
  /** `null` deletes the file. */
  readonly content: Buffer | null;
}

/** Maximum number of rows, and bytes of content, per statement. */
const statementLimits = { rows: 500, bytes: 8 * 1024 ** 2 } as const;

/**
 * Queues rendered files for the next commit, in the given transaction. A later write of a path replaces the pending
 * one, so that many edits become one change; a change that is both an edit and part of a backfill is an edit. The
 * commit is enqueued in the same transaction, unless all are of a rebuild. `roots`: folders that it may write.
 * @throws InvalidInput for a path that may not be mirrored, TooLarge for a file over 25 MiB, NotFound for a removed
 *   target. Nothing is queued then.
 */
export async function queueChanges(
  tx: Queries,
  targetId: MirrorTargetId,
  changes: readonly NewChange[],
  roots: readonly string[],
): Promise<void> {
  const checked = checkedChanges(changes, roots);
  if (checked.length === 0) return;
  const { now, when } = await readCommitTime(tx, targetId);
  for (const slice of slicesOf(checked, statementLimits, bytesOf)) {
    const rows = slice.map((change) => rowOf(targetId, change, now));
    await upsert(tx, rows);
  }
  // The end of a rebuild starts its commit.
  if (checked.some(({ changeClass }) => changeClass !== 'rebuild'))
    await enqueue(tx, mirrorCommit, { targetId }, when);
}

/** Returns those of the paths that wait for a commit. */
export async function pendingPaths(
  queries: Queries,
  targetId: MirrorTargetId,
  paths: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await queries
    .selectFrom('mirror_changes')
    .select('path')
    .where('target_id', '=', targetId)
    .where('path', 'in', givenValues(dialectOf(queries), paths))
    .execute();
  return new Set(rows.map(({ path }) => path));
}

/** Returns whether changes of a target can be committed now: those of a rebuild wait for its end. */
export async function hasChanges(queries: Queries, targetId: MirrorTargetId): Promise<boolean> {
  const query = queries
    .selectFrom('mirror_changes')
    .select('number')
    .where('target_id', '=', targetId)
    .where(isCommittable);
  return (await query.limit(1).executeTakeFirst()) !== undefined;
}

/**
 * Returns the pending changes of one class for one commit after the path `after`, in the order of paths: at most `rows`
 * and, unless a single file is larger, `bytes`.
 */
export async function nextChanges(
  queries: Queries,
  targetId: MirrorTargetId,
  changeClass: ChangeClass,
  after: string | undefined,
  limits: { readonly rows: number; readonly bytes: number },
): Promise<readonly PendingChange[]> {
  const rows = await queries
    .selectFrom('mirror_changes')
    .where('target_id', '=', targetId)
    .where('backfill', '=', changeClasses[changeClass])
    .where(isCommittable)
    .where('path', '>', after ?? '')
    .orderBy('path')
    .limit(limits.rows)
    .select(['number', 'revision', 'path', 'bytes', 'connection_id as connectionId', 'origin'])
    .$narrowType<{ connectionId: ConnectionId }>()
    .execute();
  return untilConflict(slicesOf(rows, limits, ({ bytes }) => bytes)[0] ?? []);
}

/**
 * Returns the changes before the first path conflict: a path that is both a file and a folder, or two paths that
 * differ only in case. `writeCommit` refuses both, so the conflicting change is left for the next commit.
 */
function untilConflict(changes: readonly PendingChange[]): readonly PendingChange[] {
  const files = new Set<string>();
  const folders = new Set<string>();
  const end = changes.findIndex(({ path }) => {
    const key = path.toLowerCase();
    const above = [...key.matchAll(/\//g)].map(({ index }) => key.slice(0, index));
    if (files.has(key) || folders.has(key) || above.some((folder) => files.has(folder))) return true;
    files.add(key);
    for (const folder of above) folders.add(folder);
    return false;
  });
  return end === -1 ? changes : changes.slice(0, end);
}

/**
 * Reads the contents of the given writes in order, a page at a time, without an open transaction. Skips a path that
 * was written again since: its new content has a job of its own.
 */
export async function* readContents(
  queries: Queries,
  changes: readonly PendingChange[],
): AsyncGenerator<ChangeContent, void> {
  for (const slice of slicesOf(changes, statementLimits, ({ bytes }) => bytes)) {
    yield* await queries
      .selectFrom('mirror_changes')
      .where(isOneOf(queries, slice))
      .orderBy('path')
      .select(['number', 'revision', 'path', 'content', 'connection_id as connectionId'])
      .$narrowType<{ connectionId: ConnectionId }>()
      .execute();
  }
}

/** Removes the committed writes; later writes of the same paths stay. */
export async function removeCommitted(
  tx: Queries,
  committed: readonly Pick<PendingChange, 'number' | 'revision'>[],
): Promise<void> {
  await tx.deleteFrom('mirror_changes').where(isOneOf(tx, committed)).execute();
}

function isOneOf(queries: Queries, writes: readonly Pick<PendingChange, 'number' | 'revision'>[]) {
  const given = givenRows(dialectOf(queries), { number: 'bigint', revision: 'text' }, writes);
  return sql<boolean>`(number, revision) in (select given.number, given.revision from ${given})`;
}

/**
 * Starts the comparison of a branch with its mirrored files, unless they were compared with this commit. `undefined`:
 * the tip is not known.
 */
export async function requestComparison(
  tx: Queries,
  targetId: MirrorTargetId,
  tip: string | undefined,
): Promise<void> {
  if (tip !== undefined && (await findTarget(tx, targetId))?.compared?.commit === tip) return;
  const { when } = await readCommitTime(tx, targetId);
  await enqueue(tx, mirrorCommit, { targetId }, when);
}

/**
 * Enqueues a commit of what waits, without the interval between two commits. A target with an error keeps its delay.
 * A change that is queued before the commit begins brings the interval back.
 */
export async function commitWithoutInterval(tx: Queries, targetId: MirrorTargetId): Promise<void> {
  const target = await findTarget(tx, targetId);
  if (target === undefined || target.error !== undefined || !(await hasChanges(tx, targetId))) return;
  await enqueue(tx, mirrorCommit, { targetId, skipsInterval: true });
}

/** Returns the time of the queue, and when the next commit of a target runs. */
async function readCommitTime(tx: Queries, id: MirrorTargetId) {
  const row = await tx
    .selectFrom('mirror_targets')
    .selectAll()
    .select(queueNow(dialectOf(tx), systemClock).as('now'))
    .where('id', '=', id)
    .executeTakeFirst();
  if (row === undefined)
    throw new NotFound('The mirror target of this connection was removed. Bind the connection again.');
  const target = toTarget(row);
  const { now } = row;
  const runAt = Math.max(earliestCommitTime(target, now), earliestRetryTime(target, now));
  // Without `runAt`, a commit that waits after a failure keeps its back-off.
  return { now, when: runAt > now ? { runAt } : {} };
}

type NewRow = Insertable<Tables['mirror_changes']>;

const columns = [
  'target_id',
  'path',
  'revision',
  'content',
  'bytes',
  'connection_id',
  'origin',
  'backfill',
  'created_at',
] as const;

const upsert = preparedInsert<NewRow>(columns, (queries, rows) =>
  queries
    .insertInto('mirror_changes')
    .values(rows)
    .onConflict((conflict) =>
      // `created_at` is kept: it is the time since which a change is pending.
      conflict.columns(['target_id', 'path']).doUpdateSet({
        ...fromNewRow(['revision', 'content', 'bytes', 'connection_id', 'origin']),
        backfill: sql<number>`case when excluded.backfill < mirror_changes.backfill then excluded.backfill else mirror_changes.backfill end`,
      }),
    ),
);

function rowOf(targetId: MirrorTargetId, change: NewChange, now: number): NewRow {
  return {
    target_id: targetId,
    path: change.path,
    revision: randomUUID(),
    content: change.content,
    bytes: bytesOf(change),
    connection_id: change.connectionId,
    origin: change.origin,
    backfill: changeClasses[change.changeClass ?? 'edit'],
    created_at: now,
  };
}

function bytesOf({ content }: NewChange): number {
  return content?.length ?? 0;
}

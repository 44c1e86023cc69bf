import type { Queries } from '../../foundation/db/database.ts';
import { dialectOf } from '../../foundation/db/dialect.ts';
import { enqueue } from '../../foundation/jobs/enqueue.ts';
import { queueNow } from '../../foundation/jobs/queue-time.ts';
import { systemClock } from '../../foundation/kernel/clock.ts';
import { NotFound } from '../../foundation/kernel/errors.ts';
import { type ConnectionId, type MirrorTargetId, newId } from '../../foundation/kernel/ids.ts';
import { checkedChanges, type NewChange } from './mirror-change.ts';
import { heldUntil, spacedUntil } from './mirror-target.ts';
import { toTarget } from './mirror-target-store.ts';
import { slicesOf } from './slices.ts';
import { mirrorCommit } from './tasks.ts';

/** One waiting change without its content. `number` and `revision` together are one write of one path. */
export interface WaitingChange {
  readonly number: number;
  readonly revision: string;
  readonly path: string;
  readonly bytes: number;
  readonly connectionId: ConnectionId;
  readonly origin: string;
}

/** The content of one write. */
export interface ChangeContent extends Pick<WaitingChange, 'number' | 'revision' | 'path'> {
  /** `null` deletes the file. */
  readonly content: Buffer | null;
}

/** Rows a statement, and bytes of content: what is written or read at once. */
const page = { rows: 500, bytes: 8 * 1024 ** 2 } as const;

/**
 * Leaves rendered files for the next commit, in the transaction it is given; a later write of a path takes the place
 * of one that waits, so many edits become one change. The commit is enqueued in the same transaction.
 * @throws InvalidInput for a path that may not be mirrored, TooLarge for a file over 25 MiB, NotFound for a removed
 *   target. Nothing is queued then.
 * @internal Waits for the connectors' fetch tasks; until then its tests alone queue changes.
 */
export async function queueChanges(
  tx: Queries,
  targetId: MirrorTargetId,
  changes: readonly NewChange[],
): Promise<void> {
  const checked = checkedChanges(changes);
  if (checked.length === 0) return;
  const { now, commitAt } = await lookAtTarget(tx, targetId);
  for (const slice of slicesOf(checked, page, bytesOf)) await upsert(tx, targetId, slice, now);
  // Without a time of its own, a commit that waits after a failure keeps its wait.
  await enqueue(tx, mirrorCommit, { targetId }, commitAt > now ? { runAt: commitAt } : {});
}

/**
 * What waits behind `after` in the order of paths, for one commit: at most `rows` and, unless one file alone is
 * larger, `bytes`.
 */
export async function nextChanges(
  queries: Queries,
  targetId: MirrorTargetId,
  after: string | undefined,
  limits: { readonly rows: number; readonly bytes: number },
): Promise<readonly WaitingChange[]> {
  const rows = await queries
    .selectFrom('mirror_changes')
    .where('target_id', '=', targetId)
    .where('path', '>', after ?? '')
    .orderBy('path')
    .limit(limits.rows)
    .select(['number', 'revision', 'path', 'bytes', 'connection_id as connectionId', 'origin'])
    .$narrowType<{ connectionId: ConnectionId }>()
    .execute();
  return untilInOnesPlace(slicesOf(rows, limits, ({ bytes }) => bytes)[0] ?? []);
}

/**
 * No path is a file and a folder in one commit, or there twice but for its case (`writeCommit` refuses both). Where one
 * was rendered so, the later one comes with the next commit: better than a commit that is refused, and everything else
 * with it.
 */
function untilInOnesPlace(changes: readonly WaitingChange[]): readonly WaitingChange[] {
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
 * The contents of these writes, in their order and a few at a time, without an open transaction. A path that was
 * written again since is left out: its new content has a job of its own.
 */
export async function* readContents(
  queries: Queries,
  changes: readonly WaitingChange[],
): AsyncGenerator<ChangeContent, void> {
  for (const slice of slicesOf(changes, page, ({ bytes }) => bytes)) {
    yield* await exactly(queries.selectFrom('mirror_changes'), slice)
      .orderBy('path')
      .select(['number', 'revision', 'path', 'content'])
      .execute();
  }
}

/** Removes what was committed, and nothing that was written since. */
export async function removeCommitted(
  tx: Queries,
  committed: readonly Pick<WaitingChange, 'number' | 'revision'>[],
): Promise<void> {
  const rows = { rows: page.rows, bytes: Number.POSITIVE_INFINITY };
  for (const slice of slicesOf(committed, rows, () => 0)) {
    await exactly(tx.deleteFrom('mirror_changes'), slice).execute();
  }
}

interface Filtered<Self> {
  where(column: 'number' | 'revision', operator: 'in', values: readonly (number | string)[]): Self;
}

/** A revision is of one write alone, so the two lists need no pairing; the number is what the table is read by. */
function exactly<Query extends Filtered<Query>>(
  query: Query,
  writes: readonly Pick<WaitingChange, 'number' | 'revision'>[],
): Query {
  return query
    .where(
      'number',
      'in',
      writes.map(({ number }) => number),
    )
    .where(
      'revision',
      'in',
      writes.map(({ revision }) => revision),
    );
}

async function lookAtTarget(
  tx: Queries,
  id: MirrorTargetId,
): Promise<{ readonly now: number; readonly commitAt: number }> {
  const row = await tx
    .selectFrom('mirror_targets')
    .selectAll()
    .select(queueNow(dialectOf(tx), systemClock).as('now'))
    .where('id', '=', id)
    .executeTakeFirst();
  if (row === undefined) throw new NotFound('What this connection mirrors into was removed. Bind it again.');
  const target = toTarget(row);
  const { now } = row;
  return { now, commitAt: Math.max(spacedUntil(target, now), heldUntil(target, now)) };
}

async function upsert(
  tx: Queries,
  targetId: MirrorTargetId,
  changes: readonly NewChange[],
  now: number,
): Promise<void> {
  await tx
    .insertInto('mirror_changes')
    .values(
      changes.map((change) => ({
        target_id: targetId,
        path: change.path,
        revision: newId(),
        content: change.content,
        bytes: bytesOf(change),
        connection_id: change.connectionId,
        origin: change.origin,
        created_at: now,
      })),
    )
    .onConflict((conflict) =>
      // `created_at` stays: since then something waits there.
      conflict.columns(['target_id', 'path']).doUpdateSet((eb) => ({
        revision: eb.ref('excluded.revision'),
        content: eb.ref('excluded.content'),
        bytes: eb.ref('excluded.bytes'),
        connection_id: eb.ref('excluded.connection_id'),
        origin: eb.ref('excluded.origin'),
      })),
    )
    .execute();
}

function bytesOf({ content }: NewChange): number {
  return content?.length ?? 0;
}

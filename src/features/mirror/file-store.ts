import type { Insertable } from 'kysely';
import type { Queries } from '../../foundation/db/database.ts';
import { dialectOf } from '../../foundation/db/dialect.ts';
import { givenValues } from '../../foundation/db/given-rows.ts';
import { fromNewRow, preparedInsert } from '../../foundation/db/prepared-insert.ts';
import type { Tables } from '../../foundation/db/tables.ts';
import { enqueue } from '../../foundation/jobs/enqueue.ts';
import type { ConnectionId, MirrorTargetId } from '../../foundation/kernel/ids.ts';
import { mirrorCommit } from './tasks.ts';

/** A path that the mirror has committed to. */
export interface MirrorFile {
  readonly path: string;
  readonly connectionId: ConnectionId;
  /** Git's id of the content that was committed last. */
  readonly blob: string;
  readonly state: Tables['mirror_files']['state'];
}

/** A committed write of one path; `null` deleted the file. */
export interface CommittedFile extends Pick<MirrorFile, 'path' | 'connectionId'> {
  readonly blob: string | null;
}

const keyColumns = ['target_id', 'path'] as const;
const valueColumns = ['connection_id', 'blob', 'state'] as const;

const upsert = preparedInsert<Insertable<Tables['mirror_files']>>(
  [...keyColumns, ...valueColumns],
  (queries, rows) =>
    queries
      .insertInto('mirror_files')
      .values(rows)
      .onConflict((conflict) => conflict.columns(keyColumns).doUpdateSet(fromNewRow(valueColumns))),
);

/** Records what a commit wrote and deleted. */
export async function recordFiles(
  tx: Queries,
  targetId: MirrorTargetId,
  files: readonly CommittedFile[],
): Promise<void> {
  const written = files.flatMap(({ path, connectionId, blob }) =>
    blob === null
      ? []
      : [{ target_id: targetId, path, connection_id: connectionId, blob, state: 'present' as const }],
  );
  await upsert(tx, written);
  const deleted = files.flatMap(({ path, blob }) => (blob === null ? [path] : []));
  await setFileState(tx, targetId, deleted, 'deleted');
}

export async function setFileState(
  tx: Queries,
  targetId: MirrorTargetId,
  paths: readonly string[],
  state: MirrorFile['state'],
): Promise<void> {
  await tx
    .updateTable('mirror_files')
    .set({ state })
    .where('target_id', '=', targetId)
    .where('path', 'in', givenValues(dialectOf(tx), paths))
    .execute();
}

/** Returns the files of a target after the path `after`, in the order of paths. */
export async function nextFiles(
  queries: Queries,
  targetId: MirrorTargetId,
  after: string,
  limit: number,
): Promise<readonly MirrorFile[]> {
  const query = queries
    .selectFrom('mirror_files')
    .select(['path', 'connection_id as connectionId', 'blob', 'state'])
    .where('target_id', '=', targetId)
    .where('path', '>', after)
    .orderBy('path')
    .limit(limit);
  return query.$narrowType<{ connectionId: ConnectionId }>().execute();
}

/**
 * Forgets which files a connection has written, and its rebuild. They stay in the repository, and belong to people
 * then.
 */
export async function forgetFiles(tx: Queries, connectionId: ConnectionId): Promise<void> {
  await tx.deleteFrom('mirror_files').where('connection_id', '=', connectionId).execute();
  await tx.deleteFrom('mirror_rebuilds').where('connection_id', '=', connectionId).execute();
}

/**
 * Begins a rebuild of a connection: from now on its changes of class `rebuild` wait until `endRebuild`, so that they
 * become one commit. Another one begins anew.
 */
export async function beginRebuild(
  tx: Queries,
  targetId: MirrorTargetId,
  connectionId: ConnectionId,
): Promise<void> {
  await tx
    .insertInto('mirror_rebuilds')
    .values({ target_id: targetId, connection_id: connectionId, started: 0 })
    .onConflict((conflict) =>
      conflict.column('connection_id').doUpdateSet({ target_id: targetId, started: 0 }),
    )
    .execute();
}

/** Returns how far the rebuild of a connection is; `undefined` if there is none. */
export async function rebuildOf(
  queries: Queries,
  connectionId: ConnectionId,
): Promise<'requested' | 'started' | undefined> {
  const row = await queries
    .selectFrom('mirror_rebuilds')
    .select('started')
    .where('connection_id', '=', connectionId)
    .executeTakeFirst();
  return row && (row.started === 0 ? 'requested' : 'started');
}

/** Records that the provider is read from its beginning from now on. Only the end of that ends a rebuild. */
export async function startRebuild(tx: Queries, connectionId: ConnectionId): Promise<void> {
  await tx
    .updateTable('mirror_rebuilds')
    .set({ started: 1 })
    .where('connection_id', '=', connectionId)
    .execute();
}

/** Ends a rebuild that was started, and starts its commit. */
export async function endRebuild(tx: Queries, connectionId: ConnectionId): Promise<void> {
  const ended = await tx
    .deleteFrom('mirror_rebuilds')
    .where('connection_id', '=', connectionId)
    .where('started', '=', 1)
    .returning('target_id as targetId')
    .$narrowType<{ targetId: MirrorTargetId }>()
    .executeTakeFirst();
  if (ended !== undefined) await enqueue(tx, mirrorCommit, { targetId: ended.targetId });
}

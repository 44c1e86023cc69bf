import type { Queries } from '../../../foundation/db/database.ts';
import { parseJsonColumn } from '../../../foundation/db/json-column.ts';
import type { ConnectionId, MirrorTargetId } from '../../../foundation/kernel/ids.ts';
import { type SyncRun, syncRun } from '../connections/connection.ts';
import type { Note } from '../sync/notes.ts';

/** Counts the records of connections whose files are on the branch. */
export async function countMirrored(
  queries: Queries,
  ids: readonly ConnectionId[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await queries
    .selectFrom('entities as e')
    .innerJoin('connections as c', 'c.id', 'e.connection_id')
    .innerJoin('mirror_files as f', (join) =>
      join.onRef('f.target_id', '=', 'c.target_id').onRef('f.path', '=', 'e.path'),
    )
    .where('e.connection_id', 'in', ids)
    .where('f.state', '=', 'present')
    .groupBy('e.connection_id')
    .select((e) => ['e.connection_id as id', e.fn.countAll<number>().as('count')])
    .execute();
  return byId(rows);
}

/** Counts the files of connections that the branch has lost and that are being written again. */
export async function countLost(
  queries: Queries,
  ids: readonly ConnectionId[],
  targets: readonly MirrorTargetId[],
): Promise<ReadonlyMap<string, number>> {
  if (targets.length === 0) return new Map();
  const rows = await queries
    .selectFrom('mirror_files as f')
    .where('f.target_id', 'in', targets)
    .where('f.connection_id', 'in', ids)
    .where('f.state', '=', 'lost')
    .where((e) =>
      e.not(
        e.exists(
          e
            .selectFrom('mirror_changes as m')
            .select('m.number')
            .whereRef('m.target_id', '=', 'f.target_id')
            .whereRef('m.path', '=', 'f.path'),
        ),
      ),
    )
    .groupBy('f.connection_id')
    .select((e) => ['f.connection_id as id', e.fn.countAll<number>().as('count')])
    .execute();
  return byId(rows);
}

/** Counts the files of connections that wait for their commit. `targets` are the branches of the connections. */
export async function countUncommitted(
  queries: Queries,
  ids: readonly ConnectionId[],
  targets: readonly MirrorTargetId[],
): Promise<ReadonlyMap<string, number>> {
  if (targets.length === 0) return new Map();
  const rows = await queries
    .selectFrom('mirror_changes')
    .where('target_id', 'in', targets)
    .where('connection_id', 'in', ids)
    .groupBy('connection_id')
    .select((e) => ['connection_id as id', e.fn.countAll<number>().as('count')])
    .execute();
  return byId(rows);
}

function byId(rows: readonly { readonly id: string; readonly count: number }[]): ReadonlyMap<string, number> {
  return new Map(rows.map(({ id, count }) => [id, count]));
}

/** Returns the progress of the connections whose content is being compared. */
export async function listProgress(
  queries: Queries,
  ids: readonly ConnectionId[],
): Promise<ReadonlyMap<string, SyncRun>> {
  const rows = await queries
    .selectFrom('connection_syncs')
    .select(['connection_id', 'run'])
    .where('connection_id', 'in', ids)
    .where('run', 'is not', null)
    .execute();
  return new Map(
    rows.flatMap((row) => {
      const progress = parseJsonColumn(syncRun, row.run);
      return progress === undefined ? [] : [[row.connection_id, progress]];
    }),
  );
}

/** Returns the notes of connections. */
export async function listNotes(
  queries: Queries,
  ids: readonly ConnectionId[],
): Promise<ReadonlyMap<string, readonly Note[]>> {
  const rows = await queries
    .selectFrom('connection_notes')
    .select(['connection_id', 'code', 'message', 'at'])
    .where('connection_id', 'in', ids)
    .execute();
  return Map.groupBy(rows, ({ connection_id }) => connection_id);
}

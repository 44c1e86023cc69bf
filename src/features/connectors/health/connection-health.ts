import { z } from 'zod';
import type { Queries } from '../../../foundation/db/database.ts';
import type { ConnectionId, MirrorTargetId } from '../../../foundation/kernel/ids.ts';
import { listTargetErrors } from '../../mirror/mirror-target-store.ts';
import type { Connection } from '../connections/connection.ts';
import { contentFamily, runOf, type SyncRun, syncStateShape } from '../sync/sync-state.ts';
import { configurationLane, connectionOfLane, syncLane, syncPriority } from '../sync/tasks.ts';

export const connectionCounts = z
  .object({
    mirrored: z.int().describe('Records whose file is on the branch.'),
    pending: z
      .int()
      .describe(
        'Edited records that wait for their update, files that wait for their commit, and files that the branch has lost.',
      ),
    failed: z.int().describe('Jobs that were given up.'),
  })
  .meta({ id: 'ConnectionCounts' });

/** The numbers of mirrored, waiting and failed entities of a connection, and its errors. */
export interface ConnectionHealth {
  readonly counts: z.output<typeof connectionCounts>;
  /** Newest first. */
  readonly errors: readonly ReportedError[];
  /** `undefined` while its content is not compared. */
  readonly progress: SyncRun | undefined;
}

/** A failure of the work of a connection. */
interface ReportedError {
  /** `job_failed` if it was given up, `job_retried` if it runs again; otherwise that of a refused push or of a note. */
  readonly code: string;
  /** Message for people. */
  readonly message: string;
  /** Time of the failed run, or of the next one, in milliseconds since the epoch. */
  readonly at: number;
  /** Time at which the work is tried again by itself; `undefined` if it was given up. */
  readonly retryAt?: number | undefined;
}

/** Maximum number of errors of a connection (contract section 7). */
const maxErrors = 20;

/** Returns the health of connections by id. The number of queries does not depend on the number of connections. */
export async function readHealth(
  queries: Queries,
  connections: readonly Pick<Connection, 'id' | 'binding'>[],
): Promise<ReadonlyMap<string, ConnectionHealth>> {
  const ids = connections.map(({ id }) => id);
  if (ids.length === 0) return new Map();
  const targets = connections.flatMap(({ binding }) => binding?.targetId ?? []);
  const mirrored = await countMirrored(queries, ids);
  const failed = await countJobs(queries, ids, ['dead']);
  const edits = await countJobs(queries, ids, ['ready', 'running'], syncPriority.edit);
  const pending = [edits, ...(await countFiles(queries, ids, targets))];
  const failures = await listJobErrors(queries, ids);
  const refused = await listTargetErrors(queries, targets);
  const notes = await listNotes(queries, ids);
  const progress = await listProgress(queries, ids);
  return new Map(
    connections.map(({ id, binding }) => {
      const counts = {
        mirrored: mirrored.get(id) ?? 0,
        pending: pending.reduce((sum, each) => sum + (each.get(id) ?? 0), 0),
        failed: failed.get(id) ?? 0,
      };
      const refusal = binding && refused.get(binding.targetId);
      const all = [...(failures.get(id) ?? []), ...(notes.get(id) ?? []), ...(refusal ? [refusal] : [])];
      const errors = all
        // Without the further fields of jobs and notes.
        .map(({ code, message, at, retryAt }: ReportedError) => ({ code, message, at, retryAt }))
        .toSorted((a, b) => b.at - a.at)
        .slice(0, maxErrors);
      return [id, { counts, errors, progress: progress.get(id) }];
    }),
  );
}

type Counts = ReadonlyMap<string, number>;

/** Counts the jobs of some states by connection. */
async function countJobs(
  queries: Queries,
  ids: readonly ConnectionId[],
  states: readonly ('ready' | 'running' | 'dead')[],
  priority?: number,
): Promise<Counts> {
  const lanes = ids.map((connectionId) => syncLane({ connectionId }));
  const counts = new Map<string, number>();
  // One query per state, because each state has an index of its own.
  for (const state of states) {
    let query = queries
      .selectFrom('jobs')
      .where('state', '=', state)
      .where('lane', 'in', lanes)
      .groupBy('lane')
      .select((e) => ['lane', e.fn.countAll<number>().as('count')]);
    if (priority !== undefined) query = query.where('priority', '=', priority);
    for (const { lane, count } of await query.execute()) {
      const id = connectionOfLane(lane ?? '');
      counts.set(id, (counts.get(id) ?? 0) + count);
    }
  }
  return counts;
}

/** Lists the failures of jobs by connection, at most 20 for each connection and state on average, newest first. */
async function listJobErrors(
  queries: Queries,
  ids: readonly ConnectionId[],
): Promise<ReadonlyMap<string, readonly ReportedError[]>> {
  const lanes = ids.flatMap((connectionId) => [
    syncLane({ connectionId }),
    configurationLane({ connectionId }),
  ]);
  const failures: (ReportedError & { readonly id: string })[] = [];
  for (const state of ['dead', 'running', 'ready'] as const) {
    const rows = await queries
      .selectFrom('jobs')
      .select(['lane', 'last_error as message', 'run_at as at'])
      .where('state', '=', state)
      .where('lane', 'in', lanes)
      .where('last_error', 'is not', null)
      .orderBy('run_at', 'desc')
      .limit(maxErrors * ids.length)
      .execute();
    for (const { lane, message, at } of rows) {
      const kind = state === 'dead' ? { code: 'job_failed' } : { code: 'job_retried', retryAt: at };
      failures.push({ id: connectionOfLane(lane ?? ''), message: message ?? '', at, ...kind });
    }
  }
  return Map.groupBy(failures, ({ id }) => id);
}

/** Counts the records of connections whose files are on the branch. */
async function countMirrored(queries: Queries, ids: readonly ConnectionId[]): Promise<Counts> {
  const query = queries
    .selectFrom('entities as e')
    .innerJoin('connections as c', 'c.id', 'e.connection_id')
    .innerJoin('mirror_files as f', (join) =>
      join.onRef('f.target_id', '=', 'c.target_id').onRef('f.path', '=', 'e.path'),
    )
    .where('e.connection_id', 'in', ids)
    .where('f.state', '=', 'present')
    .groupBy('e.connection_id')
    .select((e) => ['e.connection_id as id', e.fn.countAll<number>().as('count')]);
  return byId(await query.execute());
}

/**
 * Counts the files of connections that wait for their commit, and those that the branch has lost and that are being
 * written again. `targets` are the branches of the connections.
 */
async function countFiles(
  queries: Queries,
  ids: readonly ConnectionId[],
  targets: readonly MirrorTargetId[],
): Promise<readonly Counts[]> {
  if (targets.length === 0) return [];
  const waiting = queries
    .selectFrom('mirror_changes')
    .where('target_id', 'in', targets)
    .where('connection_id', 'in', ids)
    .groupBy('connection_id')
    .select((e) => ['connection_id as id', e.fn.countAll<number>().as('count')]);
  const lost = queries
    .selectFrom('mirror_files as f')
    .leftJoin('mirror_changes as m', (join) =>
      join.onRef('m.target_id', '=', 'f.target_id').onRef('m.path', '=', 'f.path'),
    )
    .where('f.target_id', 'in', targets)
    .where('f.connection_id', 'in', ids)
    .where('f.state', '=', 'lost')
    // Those are counted as files that wait for their commit.
    .where('m.number', 'is', null)
    .groupBy('f.connection_id')
    .select((e) => ['f.connection_id as id', e.fn.countAll<number>().as('count')]);
  return [byId(await waiting.execute()), byId(await lost.execute())];
}

function byId(rows: readonly { readonly id: string; readonly count: number }[]): Counts {
  return new Map(rows.map(({ id, count }) => [id, count]));
}

/** Returns the progress of the connections whose content is being compared. */
async function listProgress(
  queries: Queries,
  ids: readonly ConnectionId[],
): Promise<ReadonlyMap<string, SyncRun | undefined>> {
  const rows = await queries
    .selectFrom('sync_checkpoints')
    .select(['connection_id', 'state'])
    .where('connection_id', 'in', ids)
    .where('family', '=', contentFamily)
    .execute();
  return new Map(rows.map((row) => [row.connection_id, runOf(syncStateShape.parse(JSON.parse(row.state)))]));
}

async function listNotes(queries: Queries, ids: readonly ConnectionId[]) {
  const rows = await queries
    .selectFrom('connection_notes')
    .select(['connection_id', 'code', 'message', 'at'])
    .where('connection_id', 'in', ids)
    .execute();
  return Map.groupBy(rows, ({ connection_id }) => connection_id);
}

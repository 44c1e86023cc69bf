import type { Queries } from '../../../foundation/db/database.ts';
import { enqueueAll } from '../../../foundation/jobs/enqueue.ts';
import { type BoundTask, handle, handleBatch, type JobContext } from '../../../foundation/jobs/handler.ts';
import { readQueueTime } from '../../../foundation/jobs/queue-time.ts';
import { isPermanent } from '../../../foundation/jobs/retry-decision.ts';
import type { Task } from '../../../foundation/jobs/task.ts';
import { systemClock } from '../../../foundation/kernel/clock.ts';
import { OrgctxError, RateLimited } from '../../../foundation/kernel/errors.ts';
import type { ConnectionId } from '../../../foundation/kernel/ids.ts';
import type { ConnectorRecords } from '../../mirror/format/record-kind.ts';
import type { AuthorizedConnection, ConnectionPayload, ConnectorJobsDeps, SyncTasks } from '../port.ts';
import { compare } from './compare.ts';
import { ProviderLimited } from './provider-error.ts';
import { refusedFamilies } from './refusals.ts';
import type { SyncJob, SyncReader } from './source.ts';
import { syncEntities } from './sync-entities.ts';
import { type Note, readNotes, saveNote } from './sync-store.ts';

/** Returns the handlers of the tasks that mirror the content of a provider. `open` opens it for one job. */
export function syncHandlers(
  deps: ConnectorJobsDeps,
  tasks: SyncTasks,
  records: ConnectorRecords,
  open: (job: SyncJob) => SyncReader,
): readonly BoundTask[] {
  const { database } = deps;

  function run<Payload extends ConnectionPayload>(
    task: Task<Payload>,
    payloads: readonly Payload[],
    context: JobContext,
    work: (reader: SyncReader) => Promise<void>,
  ): Promise<void> {
    const isComparison = task.name === tasks.content.name;
    const jobs = { task, payloads, isRepeated: isComparison, open: deps.open };
    return runSynced(deps, context, jobs, async (connection, refused) => {
      const { id: connectionId, targetId } = connection;
      const mirror = { database, connectionId, targetId, records, context };
      const reader = open({ connection, mirror, refused, isComparison });
      await work(reader);
      if (reader.scopeError !== undefined) await deps.saveSyncError(connectionId, reader.scopeError());
    });
  }

  return [
    handleBatch(tasks.incremental, (jobs, context) => {
      const edits = jobs.map(({ payload }) => payload);
      return run(tasks.incremental, edits, context, (reader) => syncEntities(tasks, reader, edits));
    }),
    handle(tasks.content, (payload, context) =>
      run(tasks.content, [payload], context, (reader) => compare(deps, tasks, reader, payload.full)),
    ),
  ];
}

/** Jobs of one connection that run together. */
interface SyncedJobs<Payload extends ConnectionPayload, Opened extends AuthorizedConnection> {
  readonly task: Task<Payload>;
  readonly payloads: readonly Payload[];
  /** True for the jobs of a comparison: it is repeated at an interval, and goes on where it stopped. */
  readonly isRepeated?: boolean;
  /** Returns the connection; `undefined` if it cannot be used. */
  open(id: ConnectionId): Promise<Opened | undefined>;
}

/** The topic of the note that the provider limits the connection. Its time is the one until which all jobs wait. */
const pause = 'limit';
/** The topic of the note that a comparison waits, because it leaves a part of the limits to edits. */
const reserve = 'reserve';

/**
 * Runs `work` with the connection of the jobs. They end without an effect if it was removed or disconnected, also while
 * they run. A job that waits for the limits of the provider goes back to the queue, without a counted attempt. If the
 * provider refused a request, all jobs of the connection wait, without a request, until the time that it named; they go
 * on in the order of their priorities. A permanent error stands on the connection; a job that `isRepeated` ends with it
 * then, because the next comparison asks again. `refused`: the families that the provider did not give out when they
 * were last asked for.
 */
export async function runSynced<Payload extends ConnectionPayload, Opened extends AuthorizedConnection>(
  deps: ConnectorJobsDeps,
  context: JobContext,
  jobs: SyncedJobs<Payload, Opened>,
  work: (connection: Opened, refused: ReadonlySet<string>) => Promise<void>,
): Promise<void> {
  const { queries } = deps.database;
  const { payloads, isRepeated = false, open } = jobs;
  const { connectionId } = payloads[0]!;
  const connection = await open(connectionId);
  if (connection === undefined) return;
  const notes = await readNotes(queries, connectionId);
  const paused = notes.get(pause);
  const pausedUntil = paused?.at ?? 0;
  if (pausedUntil > (await readQueueTime(queries, systemClock))) {
    return putBack(deps, context, connectionId, jobs, { runAt: pausedUntil });
  }
  try {
    await work(connection, refusedFamilies(notes));
    await removeNotes(queries, connectionId, notes, isRepeated ? [pause, reserve] : [pause]);
  } catch (error) {
    if (context.signal.aborted || !(error instanceof OrgctxError)) throw error;
    if (error instanceof RateLimited) {
      const runAt = (await readQueueTime(queries, systemClock)) + error.retryAfter * 1_000;
      const topic = error instanceof ProviderLimited ? pause : reserve;
      return putBack(deps, context, connectionId, jobs, { runAt, topic });
    }
    if ((await open(connectionId)) === undefined) {
      context.log.warn({ err: error, connectionId }, 'the connection ended while a job ran');
      return;
    }
    if (!isPermanent(error)) throw error;
    await deps.saveSyncError(connectionId, { code: error.code, message: error.message });
    if (!isRepeated) throw error;
    context.log.warn({ err: error, connectionId }, 'a comparison with the provider failed');
  }
}

async function removeNotes(
  queries: Queries,
  connectionId: ConnectionId,
  notes: ReadonlyMap<string, Note>,
  topics: readonly string[],
): Promise<void> {
  for (const topic of topics) if (notes.has(topic)) await saveNote(queries, connectionId, topic, undefined);
}

async function putBack<Payload extends ConnectionPayload>(
  { database }: ConnectorJobsDeps,
  context: JobContext,
  connectionId: ConnectionId,
  { task, payloads }: Pick<SyncedJobs<Payload, AuthorizedConnection>, 'task' | 'payloads'>,
  { runAt, topic }: { readonly runAt: number; readonly topic?: string },
): Promise<void> {
  const keyOf = (payload: Payload) => task.key?.(payload) ?? '';
  context.log.info({ task: task.name, connectionId, runAt }, 'a job waits for the limits of the provider');
  await database.transaction(async (tx) => {
    await context.assertHeld(tx);
    const running = await tx
      .selectFrom('jobs')
      .select(['key', 'priority'])
      .where('task', '=', task.name)
      .where('state', '=', 'running')
      .where('key', 'in', payloads.map(keyOf))
      .execute();
    const priorities = new Map(running.map(({ key, priority }) => [key, priority]));
    const priorityOf = (payload: Payload) => priorities.get(keyOf(payload)) ?? task.priority;
    await enqueueAll(tx, task, payloads, { runAt, priorityOf });
    if (topic === undefined) return;
    const why = topic === pause ? 'The provider limits its requests' : 'Its limits are nearly used up';
    const message = `${why}: jobs of this connection wait until ${new Date(runAt).toISOString()}.`;
    await saveNote(tx, connectionId, topic, { code: 'provider_limited', message, at: runAt });
  });
}

import { z } from 'zod';
import type { Queries } from '../../../../foundation/db/database.ts';
import { keyOf, readEntities } from '../../entities/entity-rows.ts';
import type { EntityStore } from '../../entities/open-entity-store.ts';
import { changeMirror } from '../../sync/change-mirror.ts';
import { readCheckpoint, saveCheckpoint } from '../../sync/checkpoints.ts';
import { type LogPosition, readLog } from '../client/read-log.ts';
import { type LogEntry, logEntry } from '../client/shapes.ts';
import { incidentKind } from '../render/render-incident.ts';
import type { Session } from './session.ts';

declare module '../../../../foundation/db/tables.ts' {
  interface Tables {
    oncall_log_entries: LogEntryRow;
  }
}

/** A log entry of an incident that has more of them than one page of the provider. It never changes. */
interface LogEntryRow {
  connection_id: string;
  incident_id: string;
  id: string;
  /** JSON of the entry as it was read. */
  entry: string;
}

/** Maximum number of entries that are kept of one incident, and of their length as JSON. The newest are read first. */
const maxEntries = 20_000;
const maxLength = 8 * 1024 ** 2;

/** Records how far a log with stored entries was read. */
const stateShape = z.object({
  /** True once all entries were read: after that, the log is read only down to a known entry. */
  complete: z.boolean(),
  /** The place at which reading goes on until it is complete. */
  position: z.object({ until: z.number().optional(), offset: z.number() }).optional(),
  count: z.number(),
  length: z.number(),
});

type LogState = z.output<typeof stateShape>;

const prefix = 'log ';

/**
 * Returns the log entries of an incident; `undefined` if reading them takes more time than a job has: another job goes
 * on where this one stopped. The entries of a log with more than one page are stored, because they never change.
 */
export async function readIncidentLog(
  session: Session,
  incidentId: string,
): Promise<readonly LogEntry[] | undefined> {
  const { client, context, mirror } = session;
  const { queries } = mirror.database;
  const { connectionId } = mirror;
  const family = prefix + incidentId;
  const state = (await readCheckpoint(queries, connectionId, family, stateShape)) ?? {
    complete: false,
    count: 0,
    length: 0,
  };
  const entries = new Map<string, LogEntry>();
  let { length } = state;
  let next: LogPosition | undefined = state.position ?? { offset: 0 };
  const list = (at: { offset: number; until?: string | undefined }) =>
    client.logEntriesOf(incidentId, at, context.signal);
  for await (const page of readLog(list, next)) {
    if (page.next === undefined && state.count === 0 && entries.size === 0) return page.items;
    for (const entry of page.items) entries.set(entry.id, entry);
    length += JSON.stringify(page.items).length;
    const isFull = state.count + entries.size >= maxEntries || length > maxLength;
    const isKnown = state.complete && (await hasAny(queries, session, incidentId, page.items));
    next = isFull || isKnown ? undefined : page.next;
    if (next === undefined || session.isOver()) break;
  }
  const reached = reachedState(next, state.count + entries.size, length);
  await changeMirror(mirror, async (store) => {
    await storeEntries(store, incidentId, [...entries.values()]);
    await saveCheckpoint(store, family, reached);
  });
  return reached.complete ? readStored(queries, session, incidentId) : undefined;
}

function reachedState(next: LogPosition | undefined, count: number, length: number): LogState {
  return { complete: next === undefined, ...(next && { position: { ...next } }), count, length };
}

function storedOf(queries: Queries, { connection }: Session, incidentId: string) {
  return queries
    .selectFrom('oncall_log_entries')
    .where('connection_id', '=', connection.id)
    .where('incident_id', '=', incidentId);
}

async function hasAny(
  queries: Queries,
  session: Session,
  incidentId: string,
  items: readonly LogEntry[],
): Promise<boolean> {
  const ids = items.map(({ id }) => id);
  if (ids.length === 0) return false;
  const row = await storedOf(queries, session, incidentId)
    .select('id')
    .where('id', 'in', ids)
    .executeTakeFirst();
  return row !== undefined;
}

async function readStored(
  queries: Queries,
  session: Session,
  incidentId: string,
): Promise<readonly LogEntry[]> {
  const rows = await storedOf(queries, session, incidentId).select('entry').execute();
  return rows.map(({ entry }) => logEntry.parse(JSON.parse(entry)));
}

/** Number of rows in a statement. */
const maxRows = 500;

async function storeEntries(
  { tx, connectionId }: EntityStore,
  incidentId: string,
  entries: readonly LogEntry[],
): Promise<void> {
  for (let at = 0; at < entries.length; at += maxRows) {
    const rows = entries.slice(at, at + maxRows).map((entry) => ({
      connection_id: connectionId,
      incident_id: incidentId,
      id: entry.id,
      entry: JSON.stringify(entry),
    }));
    await tx
      .insertInto('oncall_log_entries')
      .values(rows)
      .onConflict((conflict) => conflict.columns(['connection_id', 'incident_id', 'id']).doNothing())
      .execute();
  }
}

/** Forgets the logs of incidents that are not mirrored any more. */
export async function forgetLogs(store: EntityStore): Promise<void> {
  const { tx, connectionId } = store;
  const rows = await tx
    .selectFrom('sync_checkpoints')
    .select(['family', 'state'])
    .where('connection_id', '=', connectionId)
    .where('family', 'like', `${prefix}%`)
    .execute();
  const ids = rows
    // One that is still read is not mirrored yet.
    .filter(({ state }) => stateShape.parse(JSON.parse(state)).complete)
    .map(({ family }) => ({ kind: incidentKind, id: family.slice(prefix.length) }));
  const mirrored = await readEntities(store, ids);
  for (const entity of ids.filter((each) => !mirrored.has(keyOf(each)))) {
    await tx
      .deleteFrom('oncall_log_entries')
      .where('connection_id', '=', connectionId)
      .where('incident_id', '=', entity.id)
      .execute();
    await tx
      .deleteFrom('sync_checkpoints')
      .where('connection_id', '=', connectionId)
      .where('family', '=', prefix + entity.id)
      .execute();
  }
}

import { sql } from 'kysely';
import { z } from 'zod';
import { dialectOf } from '../../../../foundation/db/dialect.ts';
import { givenValues } from '../../../../foundation/db/given-rows.ts';
import { inSlices } from '../../../mirror/slices.ts';
import { type EntityStore, entitiesIn } from '../../entities/entity-store.ts';
import { changeMirror } from '../../sync/change-mirror.ts';
import { readCheckpoint, saveCheckpoint } from '../../sync/sync-store.ts';
import { logPosition, readLog } from '../client/read-log.ts';
import { type LogEntry, logEntry } from '../client/shapes.ts';
import { incidentKind } from '../records/incident.ts';
import type { Session } from './session.ts';

declare module '../../../../foundation/db/tables.ts' {
  interface Tables {
    oncall_log_entries: LogEntryRow;
  }
}

/** A log entry of an incident that has more of them than one page of the provider. It never changes. */
interface LogEntryRow {
  connection_id: string;
  /** The family of the checkpoint of the log. Without the checkpoint there are no entries. */
  family: string;
  id: string;
  /** JSON of the entry as it was read. */
  entry: string;
}

/** Maximum number of entries that are kept of one incident, and of their length as JSON: those of the newest. */
const maxEntries = 20_000;
const maxLength = 8 * 1024 ** 2;

/** Records how far a log with stored entries was read. */
const stateShape = z.object({
  /** Id of the newest entry when a reading ended last. It and all older ones are stored; absent before. */
  known: z.string().optional(),
  /** A reading that another job goes on with: its first entry, its next place, and what it read so far. */
  reading: z
    .object({
      newest: z.string().optional(),
      position: logPosition,
      count: z.number(),
      length: z.number(),
    })
    .optional(),
});

/** A reading that begins. */
const fromStart: NonNullable<z.output<typeof stateShape>['reading']> = {
  position: { offset: 0 },
  count: 0,
  length: 0,
};

const prefix = 'log ';

/**
 * Returns the log entries of an incident; `undefined` if reading them takes more time than a job has: another job goes
 * on where this one stopped. The entries of a log with more than one page are stored, because they never change, and
 * only newer ones are read after that.
 */
export async function readIncidentLog(
  session: Session,
  incidentId: string,
): Promise<readonly LogEntry[] | undefined> {
  const { client, mirror } = session;
  const family = prefix + incidentId;
  const state = await readCheckpoint(mirror.database.queries, mirror.connectionId, family, stateShape);
  const { known, reading: { position, ...read } = fromStart } = state ?? {};
  let { newest, count, length } = read;
  let next: typeof position | undefined;
  const entries: LogEntry[] = [];
  for await (const page of readLog(client, { of: incidentId }, position)) {
    if (state === undefined && entries.length === 0 && page.next === undefined) return page.items;
    newest ??= page.items[0]?.id;
    entries.push(...page.items);
    count += page.items.length;
    length += JSON.stringify(page.items).length;
    const isEnough = count >= maxEntries || length > maxLength || page.items.some(({ id }) => id === known);
    next = isEnough ? undefined : page.next;
    if (next === undefined || session.isOver()) break;
  }
  const reading = next && { newest, position: next, count, length };
  let log: readonly LogEntry[] | undefined;
  await changeMirror(mirror, async (store) => {
    await saveCheckpoint(store, family, reading ? { known, reading } : { known: newest ?? known });
    await storeEntries(store, family, entries);
    if (reading === undefined) log = await keepNewest(store, family);
  });
  return log;
}

async function storeEntries(
  { tx, connectionId }: EntityStore,
  family: string,
  entries: readonly LogEntry[],
): Promise<void> {
  const log = { connection_id: connectionId, family };
  for (const slice of inSlices(entries)) {
    const rows = slice.map((entry) => ({ ...log, id: entry.id, entry: JSON.stringify(entry) }));
    await tx
      .insertInto('oncall_log_entries')
      .values(rows)
      .onConflict((conflict) => conflict.columns(['connection_id', 'family', 'id']).doNothing())
      .execute();
  }
}

/** Returns the newest stored entries, and deletes those beyond the limits. */
async function keepNewest({ tx, connectionId }: EntityStore, family: string): Promise<readonly LogEntry[]> {
  const rows = await tx
    .selectFrom('oncall_log_entries')
    .select(['id', 'entry'])
    .where('connection_id', '=', connectionId)
    .where('family', '=', family)
    .execute();
  const newestFirst = rows
    .map(({ entry }) => ({ entry: logEntry.parse(JSON.parse(entry)), length: entry.length }))
    .toSorted((a, b) => Date.parse(b.entry.created_at) - Date.parse(a.entry.created_at));
  let length = 0;
  const isKept = (each: { readonly length: number }, index: number): boolean => {
    length += each.length;
    return index < maxEntries && length <= maxLength;
  };
  const kept = newestFirst.filter(isKept).map(({ entry }) => entry);
  const old = newestFirst.slice(kept.length).map(({ entry }) => entry.id);
  await tx
    .deleteFrom('oncall_log_entries')
    .where('connection_id', '=', connectionId)
    .where('family', '=', family)
    .where('id', 'in', givenValues(dialectOf(tx), old))
    .execute();
  return kept;
}

/** Forgets the logs of incidents that are not mirrored any more. One that is still read may not be mirrored yet. */
export async function forgetLogs(store: EntityStore): Promise<void> {
  const { tx, connectionId } = store;
  const family = sql<string>`${sql.lit(prefix)} || id`.as('family');
  const ofMirrored = entitiesIn(store).select(family).where('kind', '=', incidentKind);
  await tx
    .deleteFrom('sync_checkpoints')
    .where('connection_id', '=', connectionId)
    .where('family', 'like', `${prefix}%`)
    .where('family', 'not in', ofMirrored)
    .where('state', 'not like', '%"reading":%')
    .execute();
}

import { type LogPosition, readLog } from '../client/read-log.ts';
import type { Session } from './session.ts';

/** An incident with log entries, and its service if they name one. */
export interface ChangedIncident {
  readonly id: string;
  readonly service: string | undefined;
}

export interface Changes {
  readonly incidents: readonly ChangedIncident[];
  /** The place at which another job goes on; `undefined` at the end. */
  readonly next: LogPosition | undefined;
}

/** Entries appear in the log a little later than the time that they have. */
const overlapMs = 5 * 60_000;

/** A part of the log of the account, in milliseconds since the epoch. */
export interface LogRange {
  /** Log entries were read up to this time. */
  readonly from: number;
  readonly end: number;
  readonly position: LogPosition;
}

/**
 * Reads which incidents changed in a range, from the log entries of the account: lists of incidents are filtered by the
 * time of creation, so that they never show a change of an old one. Ends when the time of the job is over.
 */
export async function readChanges(
  { client, context, isOver }: Session,
  { from, end, position }: LogRange,
): Promise<Changes> {
  const range = rangeOf(from - overlapMs, end);
  const found = new Map<string, ChangedIncident>();
  let next: LogPosition | undefined = position;
  const list = ({ offset, until = range.until }: { offset: number; until?: string | undefined }) =>
    client.logEntries({ ...range, until, offset }, context.signal);
  for await (const page of readLog(list, position)) {
    for (const { incident, service } of page.items) {
      // The newest entry names the present service.
      if (incident && !found.has(incident.id)) {
        found.set(incident.id, { id: incident.id, service: service?.id });
      }
    }
    next = page.next;
    if (isOver()) break;
  }
  return { incidents: [...found.values()], next };
}

export function rangeOf(since: number, until: number) {
  return { since: new Date(since).toISOString(), until: new Date(until).toISOString() };
}

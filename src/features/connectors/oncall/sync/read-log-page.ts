import { z } from 'zod';
import type { EntityReference } from '../../port.ts';
import type { FamilyPage, PageRequest } from '../../sync/source.ts';
import { logPosition, readLog } from '../client/read-log.ts';
import { referenceTo } from './read-incidents.ts';
import type { Session } from './session.ts';

/** Overlap of two ranges: entries appear in the log a little later than the time that they have. */
const overlapMs = 5 * 60_000;
/** Longest range of the log that is read at a time: a connection that was away for long catches up in several. */
const maxRangeMs = 86_400_000;
/** Longest rest of the log that is left to the next comparison. */
const maxRestMs = 60_000;

/** A range of the log in milliseconds since the epoch, and the place at which reading goes on. */
const cursorShape = z.object({ from: z.number(), end: z.number(), position: logPosition });

/**
 * Reads which incidents changed, from the log entries of the account: lists of incidents are filtered by the time of
 * creation, so that they never show a change of an old one. The first comparison only notes where the log begins.
 */
export async function readLogPage(
  session: Session,
  { cursor, readUpTo }: PageRequest,
  now: number,
): Promise<FamilyPage> {
  if (readUpTo === undefined) return { readUpTo: new Date(now).toISOString() };
  const endOf = (from: number) => Math.min(now, from + maxRangeMs);
  const rangeFrom = (from: number) => ({ from, end: endOf(from), position: { offset: 0 } });
  const { from, end, position } =
    cursor === undefined ? rangeFrom(Date.parse(readUpTo)) : cursorShape.parse(cursor);
  const { client, isOver } = session;
  const found = new Map<string, EntityReference>();
  let next: typeof position | undefined;
  for await (const page of readLog(client, { since: from - overlapMs, until: end }, position)) {
    for (const { incident, service } of page.items) {
      // The newest entry names the present service.
      if (incident && !found.has(incident.id)) {
        found.set(incident.id, referenceTo(session, incident.id, service?.id));
      }
    }
    next = page.next;
    if (isOver()) break;
  }
  const changes = { edits: [...found.values()] };
  if (next !== undefined) return { changes, next: { from, end, position: next } };
  if (end < now - maxRestMs) return { changes, next: rangeFrom(end) };
  return { changes, readUpTo: new Date(end).toISOString() };
}

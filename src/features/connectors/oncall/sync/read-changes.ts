import type { OncallClient } from '../client/oncall-client.ts';
import { readLog } from '../client/read-log.ts';
import { rangeOf } from './read-sweep-page.ts';

/** An incident with log entries, and its service if they name one. */
export interface ChangedIncident {
  readonly id: string;
  readonly service: string | undefined;
}

export interface Changes {
  readonly incidents: readonly ChangedIncident[];
  /** Log entries are read up to this time. */
  readonly readUpTo: number;
}

/** Entries appear in the log a little later than the time that they have. */
const overlapMs = 5 * 60_000;
/** Longest range of one job: a connection that was away for long catches up in several. */
const maxRangeMs = 86_400_000;

/**
 * Reads which incidents changed after a time, from the log entries of the account: lists of incidents are filtered by
 * the time of creation, so that they never show a change of an old one.
 */
export async function readChanges(
  client: OncallClient,
  readUpTo: number,
  now: number,
  signal: AbortSignal,
): Promise<Changes> {
  const end = Math.min(now, readUpTo + maxRangeMs);
  const range = rangeOf(readUpTo - overlapMs, end);
  const found = new Map<string, ChangedIncident>();
  const pages = readLog(({ offset, until = range.until }) =>
    client.logEntries({ ...range, until, offset }, signal),
  );
  for await (const page of pages) {
    for (const { incident, service } of page) {
      // The newest entry names the present service.
      if (incident && !found.has(incident.id)) {
        found.set(incident.id, { id: incident.id, service: service?.id });
      }
    }
  }
  return { incidents: [...found.values()], readUpTo: end };
}

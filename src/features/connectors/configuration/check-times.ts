import type { ConnectionState } from '../connections/connection.ts';

/** Interval of the checks while people are about to merge, in milliseconds (contract section 2, SYNC_INTERVAL). */
const awaitingMs = 30_000;
/** Delay of the next check after a failure that passes by itself, in milliseconds. */
const soonMs = 60_000;
/** Share of the interval by which checks vary, so that many connections are not checked at once. */
const jitter = 0.2;

/**
 * Returns the delay until the next check of a configuration, in milliseconds. While a merge is awaited, the checks are
 * due a little before the next round of the worker, which comes every 30 seconds.
 */
export function nextCheckDelay(
  syncIntervalMs: number,
  state: ConnectionState,
  when: 'regular' | 'soon',
): number {
  if (state === 'awaiting_merge') return awaitingMs - 5_000;
  if (when === 'soon') return Math.min(soonMs, syncIntervalMs);
  return Math.round(syncIntervalMs * (1 - jitter * Math.random()));
}

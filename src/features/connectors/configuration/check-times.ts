import type { ConnectionState } from '../connections/connection.ts';

/**
 * Delay of the next check while people are about to merge, in milliseconds. The worker starts the checks that are due
 * every 30 seconds (contract section 2, SYNC_INTERVAL). With a short delay each round checks the connection, whenever
 * the former check ended.
 */
const awaitingMs = 5_000;
/** Delay of the next check after a failure that passes by itself, in milliseconds. */
const soonMs = 60_000;
/** Share of the interval by which checks vary, so that many connections are not checked at once. */
const jitter = 0.2;

/** Returns the delay until the next check of a configuration, in milliseconds. */
export function nextCheckDelay(
  syncIntervalMs: number,
  state: ConnectionState,
  when: 'regular' | 'soon',
): number {
  if (state === 'awaiting_merge') return awaitingMs;
  if (when === 'soon') return Math.min(soonMs, syncIntervalMs);
  return Math.round(syncIntervalMs * (1 - jitter * Math.random()));
}

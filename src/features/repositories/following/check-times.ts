/** Longest time between two checks of a source that fails, in milliseconds. */
const maxDelayMs = 24 * 3_600_000;

/**
 * Returns the delay until the next check of a source, in milliseconds: at most the interval, less a random part, so
 * that checks spread evenly. Each failed check in a row doubles it, up to a day.
 */
export function checkDelay(intervalMs: number, failedChecks: number, random: number): number {
  const delay = Math.min(intervalMs * 2 ** Math.min(failedChecks, 20), Math.max(intervalMs, maxDelayMs));
  return Math.round(delay * (0.8 + 0.2 * random));
}

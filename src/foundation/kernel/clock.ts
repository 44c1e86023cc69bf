/** Returns the current time, in milliseconds since the epoch. Passed to all code whose rules depend on time. */
export type Clock = () => number;

export const systemClock: Clock = () => Date.now();

/** Formats a time for responses: ISO 8601 in UTC (contract, section 3). */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

/** Formats an optional time for responses: `null` if it is `undefined`. */
export function isoTimeOrNull(ms: number | undefined): string | null {
  return ms === undefined ? null : isoTime(ms);
}

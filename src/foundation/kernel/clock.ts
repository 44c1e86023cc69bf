/** The present, as milliseconds since the epoch. Passed in wherever a rule depends on time. */
export type Clock = () => number;

export const systemClock: Clock = () => Date.now();

/** The form in which times leave the service: ISO 8601 UTC (contract, section 3). */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

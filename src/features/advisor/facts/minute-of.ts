import { isoTime } from '../../../foundation/kernel/clock.ts';

/** Formats a time for people: `2026-11-23 02:01 UTC`. */
export function minuteOf(ms: number): string {
  return `${isoTime(ms).slice(0, 16).replace('T', ' ')} UTC`;
}

import { systemClock } from '../../../foundation/kernel/clock.ts';

const units: readonly (readonly [number, string])[] = [
  [365 * 86_400_000, 'y'],
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
];

/** Describes a time in milliseconds since the epoch relative to now: `3 h ago`, `in 5 d`, `just now`. */
export function ageOf(at: number, now: number = systemClock()): string {
  const distance = Math.abs(now - at);
  const [length, name] = units.find(([unit]) => distance >= unit) ?? [];
  if (length === undefined) return 'just now';
  const amount = `${Math.floor(distance / length)} ${name}`;
  return at > now ? `in ${amount}` : `${amount} ago`;
}

/** Describes an ISO 8601 time relative to now; `absent` if there is none, and unchanged if it is not a time. */
export function ageOfTime(time: string | null | undefined, absent: string): string {
  if (!time) return absent;
  const at = Date.parse(time);
  return Number.isNaN(at) ? time : ageOf(at);
}

/** Describes when something planned happens: `in 12 min`, or `soon` within a minute and if it is overdue. */
export function untilTime(time: string): string {
  return Date.parse(time) - systemClock() < 60_000 ? 'soon' : ageOfTime(time, '');
}

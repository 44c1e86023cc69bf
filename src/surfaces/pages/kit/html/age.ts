import type { VNode } from 'preact';
import { isoTime } from '../../../../foundation/kernel/clock.ts';
import { el } from './element.ts';

const units = [
  ['year', 365 * 24 * 3600],
  ['month', 30 * 24 * 3600],
  ['day', 24 * 3600],
  ['hour', 3600],
  ['minute', 60],
] as const;

const format = new Intl.RelativeTimeFormat('en', { numeric: 'always' });

/** Renders a time as its age ("3 hours ago"), with the exact time in UTC as the tooltip and for programs. */
export function age(time: number, now: number): VNode {
  const exact = isoTime(time);
  return el(
    'time',
    { datetime: exact, title: `${exact.slice(0, 19).replace('T', ' ')} UTC` },
    ageText(time, now),
  );
}

/**
 * Returns the age of a time in words.
 * @internal For its test.
 */
export function ageText(time: number, now: number): string {
  const seconds = (time - now) / 1000;
  for (const [unit, length] of units) {
    if (Math.abs(seconds) >= length) return format.format(Math.trunc(seconds / length), unit);
  }
  return seconds > 1 ? 'in less than a minute' : 'less than a minute ago';
}

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
  return el('time', { datetime: isoTime(time), title: utcText(time) }, ageText(time, now));
}

/** Renders the exact time in UTC. */
export function exactTime(time: number): VNode {
  return el('time', { datetime: isoTime(time) }, utcText(time));
}

function utcText(time: number): string {
  return `${isoTime(time).slice(0, 19).replace('T', ' ')} UTC`;
}

/**
 * Returns the age of a time in words.
 * @internal For its test.
 */
export function ageText(time: number, now: number): string {
  const seconds = (time - now) / 1000;
  for (const [unit, length] of units) {
    if (Math.abs(seconds) < length) continue;
    // A lifetime of 90 days is "in 3 months" right after its start, not "in 2 months".
    return format.format(seconds > 0 ? Math.round(seconds / length) : Math.trunc(seconds / length), unit);
  }
  return seconds > 1 ? 'in less than a minute' : 'less than a minute ago';
}

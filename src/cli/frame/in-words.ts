import type { Channel } from './channel.ts';

/** A label with its value as it is shown; without a value the line is left out. */
export type LabelledLine = readonly [label: string, value: string | undefined];

/** Describes one thing as text: its title, then a line for each value, in one column. */
export function inWords(title: string, lines: readonly LabelledLine[], channel: Channel): string {
  const shown = lines.filter(([, value]) => value !== undefined);
  const width = Math.max(...shown.map(([label]) => label.length), 0);
  return [
    channel.style('bold', title),
    ...shown.map(([label, value]) => `  ${label.padEnd(width)} ${value}`),
  ].join('\n');
}

/** Returns an ISO 8601 time in UTC without seconds; unchanged if it is not one. */
export function minuteOf(time: string): string {
  return time.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d):[\d.]+Z$/, '$1 $2 UTC');
}

import type { HistoryRequest } from '../../../backends/codesearch/port.ts';

export type Period = Pick<HistoryRequest, 'since' | 'until'>;

/** Matches a year, month or day after a word of time: "since 2026-03-01", "in 2025", "between 2024 and 2025-06". */
const times =
  /\b(since|after|from|between|in|before|until|to|and) ((?:19|20)\d\d(?:-\d\d){0,2})(?!\.?[\w-])/giu;

/** Returns the time that a question names, if it names one. */
export function periodOf(head: string): Period | undefined {
  const found = Array.from(head.matchAll(times), ([, word = '', time = '']): Period => {
    const since = Date.parse(time) / 1_000;
    const next = endOf(time) / 1_000;
    const edges: Readonly<Record<string, Period>> = {
      after: { since: next },
      before: { until: since - 1 },
      until: { until: next - 1 },
      to: { until: next - 1 },
      and: { until: next - 1 },
      in: { since, until: next - 1 },
    };
    return Number.isNaN(since) ? {} : (edges[word.toLowerCase()] ?? { since });
  });
  const period: Period = Object.assign({}, ...found);
  return Object.keys(period).length > 0 ? period : undefined;
}

/** Returns when a year, month or day ends, in milliseconds. */
function endOf(time: string): number {
  const [year = 0, month, day] = time.split('-').map(Number);
  if (month === undefined) return Date.UTC(year + 1, 0);
  return day === undefined ? Date.UTC(year, month) : Date.UTC(year, month - 1, day + 1);
}

/** Removes the time that a question names. */
export function withoutPeriod(head: string): string {
  return head.replaceAll(times, ' ');
}

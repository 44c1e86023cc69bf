import type { HistoryRequest } from '../../../backends/codesearch/port.ts';

type Period = Pick<HistoryRequest, 'since' | 'until'>;

/** Matches a year, month or day after a word of time: "since 2026-03-01", "in 2025". */
const times = /\b(since|after|from|in|before|until) ((?:19|20)\d\d(?:-\d\d){0,2})(?!\.?[\w-])/giu;

/** Returns the time that a question names, if it names one. */
export function periodOf(head: string): Period | undefined {
  const found = Array.from(head.matchAll(times), ([, word = '', time = '']): Period => {
    const [year = 0, month = 1, day = 1] = time.split('-').map(Number);
    const unit = time.length;
    const since = Date.parse(time) / 1_000;
    const next = Date.UTC(year + Number(unit === 4), month - Number(unit !== 7), day + Number(unit === 10));
    const until = next / 1_000 - 1;
    const others = {
      after: { since: until + 1 },
      before: { until: since - 1 },
      until: { until },
      in: { since, until },
    };
    return Number.isNaN(since) ? {} : (others[word.toLowerCase() as keyof typeof others] ?? { since });
  });
  const period: Period = Object.assign({}, ...found);
  return Object.keys(period).length > 0 ? period : undefined;
}

/** Removes the time that a question names. */
export function withoutPeriod(head: string): string {
  return head.replaceAll(times, ' ');
}

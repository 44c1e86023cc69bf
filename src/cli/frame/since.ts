import { parseDuration } from '../../features/identity/api-keys/duration.ts';
import { systemClock } from '../../foundation/kernel/clock.ts';
import { UsageError } from './usage-error.ts';

/** Parses `2h` (two hours ago) or a time such as `2026-11-21T08:00:00Z` to ms since the epoch. @throws UsageError */
export function parseSince(text: string, flag: string): number {
  if (/^\d{1,7}[mhdw]$/.test(text)) return systemClock() - parseDuration(text, flag);
  const time = /^\d{4}-\d\d-\d\d(?:T[\d:.]+(?:Z|[+-]\d\d:\d\d))?$/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time)) {
    throw new UsageError(
      `${flag} is not a valid time.`,
      'Give a duration such as 2h or 3d, or a time such as 2026-11-21T08:00:00Z.',
    );
  }
  return time;
}

import { lastSlot } from '../../../../foundation/jobs/schedule.ts';
import { deliveriesPruneSchedule as hourly } from '../../../connectors/intake/tasks.ts';
import { type CheckOutcome, pass, skipped, warning } from '../check.ts';

/** A worker looks at the schedules each second; a restart, or a clock that is off, takes no longer than this. */
const lateMs = 5 * 60_000;

/** By the last time of the hourly schedule that a worker attended to; both in ms since the epoch. */
export function judgeAttendance(attended: number | undefined, now: number): CheckOutcome {
  if (attended === undefined) return skipped('None has run on this database yet.');
  // Not the newest time alone: just after one, those before it may have been missed as well.
  const missed = lastSlot(hourly, attended, now - lateMs - 1);
  if (missed === undefined) {
    return pass(`One was at work at ${timeOf(attended)}, the last time that shows it.`);
  }
  return warning(
    `None was at work at ${timeOf(missed)}; the last that shows is of ${timeOf(attended)}.`,
    'Start "orgctx worker", or "orgctx serve" without --no-worker, and see what its log says.',
  );
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+/, '');
}

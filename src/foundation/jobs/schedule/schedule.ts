import { Cron } from 'croner';
import type { Task } from '../task.ts';

/** A task that is enqueued at fixed times, once per time regardless of the number of workers. */
export interface Schedule<Payload = unknown> {
  /** Kebab-case and unique. The last slot is stored under it. */
  readonly name: string;
  /** Cron expression in UTC: five fields, or six with seconds first. */
  readonly cron: string;
  readonly task: Task<Payload>;
  readonly payload: Payload;
}

/** Declares a schedule, for `WorkerOptions.schedules`. Throws for an invalid cron expression. */
export function defineSchedule<Payload>(schedule: Schedule<Payload>): Schedule {
  if (pattern(schedule).nextRun() === null) {
    throw new Error(
      `Schedule ${schedule.name} never runs: its cron expression matches no time in the future.`,
    );
  }
  return schedule as Schedule;
}

/**
 * Returns the last slot after `since` and up to `now`; `undefined` if there is none. All times are in milliseconds
 * since the epoch.
 */
export function lastSlot(schedule: Schedule, since: number, now: number): number | undefined {
  // `previousRuns` excludes its argument.
  const [slot] = pattern(schedule).previousRuns(1, new Date(now + 1));
  return slot !== undefined && slot.getTime() > since ? slot.getTime() : undefined;
}

/** Returns the first slot after `now`; `undefined` if there is none. All times are in milliseconds since the epoch. */
export function nextSlot(schedule: Schedule, now: number): number | undefined {
  return pattern(schedule).nextRun(new Date(now))?.getTime();
}

function pattern({ cron }: Pick<Schedule, 'cron'>): Cron {
  return new Cron(cron, { timezone: 'UTC', paused: true });
}

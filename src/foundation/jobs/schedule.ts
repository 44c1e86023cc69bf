import { Cron } from 'croner';
import type { Task } from './task.ts';

/** A task that is enqueued at set times, once each time however many workers run. */
export interface Schedule<Payload = unknown> {
  /** Kebab-case, unique: its last time is stored under it. */
  readonly name: string;
  /** Five fields, or six with seconds first; UTC. */
  readonly cron: string;
  readonly task: Task<Payload>;
  readonly payload: Payload;
}

/** Declares a schedule, for `WorkerOptions.schedules`. Throws for a pattern that is none. */
export function defineSchedule<Payload>(schedule: Schedule<Payload>): Schedule {
  if (pattern(schedule).nextRun() === null) {
    throw new Error(`Schedule ${schedule.name} has no time to come.`);
  }
  return schedule as Schedule;
}

/** The last of its times after `since` up to `now`; `undefined` when there was none. All in ms since the epoch. */
export function lastSlot(schedule: Schedule, since: number, now: number): number | undefined {
  // Before its argument, never at it.
  const [slot] = pattern(schedule).previousRuns(1, new Date(now + 1));
  return slot !== undefined && slot.getTime() > since ? slot.getTime() : undefined;
}

/** The first of its times after `now`; `undefined` when there is none to come. All in ms since the epoch. */
export function nextSlot(schedule: Schedule, now: number): number | undefined {
  return pattern(schedule).nextRun(new Date(now))?.getTime();
}

function pattern({ cron }: Pick<Schedule, 'cron'>): Cron {
  return new Cron(cron, { timezone: 'UTC', paused: true });
}

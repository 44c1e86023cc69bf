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
  const pattern = new Cron(schedule.cron, { timezone: 'UTC', paused: true });
  if (pattern.nextRun() === null) throw new Error(`Schedule ${schedule.name} has no time to come.`);
  return schedule as Schedule;
}

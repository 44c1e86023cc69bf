import { z } from 'zod';
import { defineSchedule } from '../../foundation/jobs/schedule/schedule.ts';
import { defineTask } from '../../foundation/jobs/task.ts';

/** Purges expired sessions, counts of attempts, links and invitations. */
export const signInsPurge = defineTask({
  name: 'sign-ins-purge',
  payload: z.object({}),
  key: () => 'all',
  maxAttempts: 3,
});

/** Every ten minutes: unauthenticated callers can create rows, which expire within half an hour. */
export const signInsPurgeSchedule = defineSchedule({
  name: 'sign-ins-purge',
  cron: '*/10 * * * *',
  task: signInsPurge,
  payload: {},
});

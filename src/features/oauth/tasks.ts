import { z } from 'zod';
import { defineSchedule } from '../../foundation/jobs/schedule/schedule.ts';
import { defineTask } from '../../foundation/jobs/task.ts';

/** Purges expired authorizations, and creates the next signing key when it is due. */
export const authorizationsPurge = defineTask({
  name: 'authorizations-purge',
  payload: z.object({}),
  key: () => 'all',
  maxAttempts: 3,
});

/** Every ten minutes: unauthenticated callers can create rows, which expire within half an hour. */
export const authorizationsPurgeSchedule = defineSchedule({
  name: 'authorizations-purge',
  cron: '*/10 * * * *',
  task: authorizationsPurge,
  payload: {},
});

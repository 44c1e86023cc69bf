import { z } from 'zod';
import { defineSchedule } from '../../foundation/jobs/schedule/schedule.ts';
import { defineTask } from '../../foundation/jobs/task.ts';

/** Purges expired sign-ins and authorizations, and creates the next signing key when it is due. */
export const identityPurge = defineTask({
  name: 'identity-purge',
  payload: z.object({}),
  key: () => 'all',
  maxAttempts: 3,
});

/** Every ten minutes: unauthenticated callers can create rows, which expire within half an hour. */
export const identityPurgeSchedule = defineSchedule({
  name: 'identity-purge',
  cron: '*/10 * * * *',
  task: identityPurge,
  payload: {},
});

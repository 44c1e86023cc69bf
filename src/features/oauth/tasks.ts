import { z } from 'zod';
import { defineSchedule } from '../../foundation/jobs/schedule.ts';
import { defineTask } from '../../foundation/jobs/task.ts';

/** Deletes what is over of sign-ins and authorizations, and makes the next signing key when it is time. */
export const identityTidy = defineTask({
  name: 'identity-tidy',
  payload: z.object({}),
  key: () => 'all',
  maxAttempts: 3,
});

/** Every ten minutes: what anybody may begin, and so fill the disk with, is over in half an hour at most. */
export const identityTidySchedule = defineSchedule({
  name: 'identity-tidy',
  cron: '*/10 * * * *',
  task: identityTidy,
  payload: {},
});

import { z } from 'zod';
import { defineSchedule } from '../../foundation/jobs/schedule/schedule.ts';
import { defineTask } from '../../foundation/jobs/task.ts';

/** Deletes the conversations whose retention has ended. */
export const conversationsPurge = defineTask({
  name: 'conversations-purge',
  payload: z.object({}),
  key: () => 'all',
  maxAttempts: 3,
});

/** Runs the purge every hour, so that each run is short. */
export const conversationsPurgeSchedule = defineSchedule({
  name: 'conversations-purge',
  cron: '47 * * * *',
  task: conversationsPurge,
  payload: {},
});

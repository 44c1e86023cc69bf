import { z } from 'zod';
import { defineSchedule } from '../../../foundation/jobs/schedule/schedule.ts';
import { defineTask } from '../../../foundation/jobs/task.ts';

/** Purges expired deliveries. */
export const deliveriesPrune = defineTask({
  name: 'deliveries-prune',
  payload: z.object({}),
  key: () => 'all',
  maxAttempts: 3,
});

/** Runs the purge every hour, so that each run is short. */
export const deliveriesPruneSchedule = defineSchedule({
  name: 'deliveries-prune',
  cron: '17 * * * *',
  task: deliveriesPrune,
  payload: {},
});

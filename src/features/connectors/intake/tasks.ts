import { z } from 'zod';
import { defineSchedule } from '../../../foundation/jobs/schedule.ts';
import { defineTask } from '../../../foundation/jobs/task.ts';

/** Deletes deliveries whose time is over. */
export const deliveriesPrune = defineTask({
  name: 'deliveries-prune',
  payload: z.object({}),
  key: () => 'all',
  maxAttempts: 3,
});

/** Every hour, so that no run has much to do. */
export const deliveriesPruneSchedule = defineSchedule({
  name: 'deliveries-prune',
  cron: '17 * * * *',
  task: deliveriesPrune,
  payload: {},
});

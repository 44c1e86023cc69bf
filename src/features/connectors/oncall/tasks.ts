import { z } from 'zod';
import { defineSchedule } from '../../../foundation/jobs/schedule/schedule.ts';
import { defineTask } from '../../../foundation/jobs/task.ts';
import { connectionPayload, syncPriority, syncTasks } from '../sync/tasks.ts';

export const oncallTasks = syncTasks('oncall', { isKeyedByParent: true });

/**
 * Makes sure that the account has one webhook subscription for the connection. One job at a time in the deployment: a
 * subscription that another job has just created must not look like one that nobody owns.
 */
export const oncallSubscribe = defineTask({
  name: 'oncall-subscribe',
  payload: connectionPayload,
  priority: syncPriority.edit,
  key: (payload) => payload.connectionId,
  lane: () => 'oncall-subscriptions',
});

/** Checks every authorized connection, also those whose content is not mirrored yet. */
export const oncallKeepAlive = defineTask({
  name: 'oncall-keep-alive',
  payload: z.object({}),
  key: () => 'all',
  maxAttempts: 3,
});

/** Runs every day, because a refresh token ends after 30 days without use. */
export const oncallKeepAliveSchedule = defineSchedule({
  name: 'oncall-keep-alive',
  cron: '41 3 * * *',
  task: oncallKeepAlive,
  payload: {},
});

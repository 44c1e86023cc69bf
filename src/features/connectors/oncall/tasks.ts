import { z } from 'zod';
import { defineSchedule } from '../../../foundation/jobs/schedule/schedule.ts';
import { defineTask } from '../../../foundation/jobs/task.ts';
import type { ConnectionId } from '../../../foundation/kernel/ids.ts';
import {
  type ConnectionPayload,
  type EntityChange,
  type SyncRequest,
  syncConfigOptions,
  syncPriority,
} from '../port.ts';

const connectionId = z.custom<ConnectionId>((value) => typeof value === 'string');
const entity = { kind: z.string().min(1), id: z.string().min(1) };

/** The jobs that change what is mirrored run one at a time. */
const lane = (payload: ConnectionPayload): string => `connection:${payload.connectionId}`;

/** Reads the configuration of a connection from its branch. */
export const oncallSyncConfig = defineTask(syncConfigOptions('oncall'));

const change: z.ZodType<EntityChange> = z
  .object({ connectionId, ...entity, parent: z.object(entity).optional() })
  .transform(({ parent, ...rest }) => ({ ...rest, ...(parent !== undefined && { parent }) }));

/**
 * Fetches the current state of one incident and mirrors it. `parent` is its service, if the event named it; jobs with
 * and without it are not merged, because the service of an incident that is not mirrored is known from nothing else.
 */
export const oncallSyncIncremental = defineTask({
  name: 'oncall-sync-incremental',
  payload: change,
  priority: syncPriority.edit,
  key: ({ connectionId: connection, id, parent }) => `${connection}:${id}:${parent?.id ?? ''}`,
  lane,
});

const request: z.ZodType<SyncRequest> = z.object({ connectionId, full: z.boolean() });

/**
 * Compares the provider with the mirrored files, a page in each job. A request for a full run has a key of its own, so
 * that the next step of another run does not replace it.
 */
export const oncallSyncContent = defineTask({
  name: 'oncall-sync-content',
  payload: request,
  priority: syncPriority.backfill,
  slots: 'bulk',
  key: ({ connectionId: connection, full }) => `${connection}:${full ? 'full' : 'next'}`,
  lane,
});

/**
 * Makes sure that the account has one webhook subscription for the connection. One job at a time in the deployment: a
 * subscription that another job has just created must not look like one that nobody owns.
 */
export const oncallSubscribe = defineTask({
  name: 'oncall-subscribe',
  payload: z.object({ connectionId }),
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

/** Every day: a refresh token ends after 30 days without use. */
export const oncallKeepAliveSchedule = defineSchedule({
  name: 'oncall-keep-alive',
  cron: '41 3 * * *',
  task: oncallKeepAlive,
  payload: {},
});

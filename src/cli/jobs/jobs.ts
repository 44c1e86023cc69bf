import { defineGroup } from '../frame/command.ts';

export const jobsCommand = defineGroup(
  {
    list: {
      summary: 'list dead jobs, or those in another state',
      load: async () => (await import('./jobs-list.ts')).jobsListCommand,
    },
    retry: {
      summary: 'retry dead jobs',
      load: async () => (await import('./jobs-retry.ts')).jobsRetryCommand,
    },
    discard: {
      summary: 'permanently remove jobs from the queue',
      load: async () => (await import('./jobs-discard.ts')).jobsDiscardCommand,
    },
  },
  'Manages the background jobs of this host. A job that failed too often is dead: it stays in the queue until it is ' +
    'retried or discarded.',
);

import { defineGroup } from './frame/command.ts';

export const jobsCommand = defineGroup(
  {
    list: {
      summary: 'list the dead jobs, or those of another state',
      load: async () => (await import('./jobs-list.ts')).jobsListCommand,
    },
    retry: {
      summary: 'let dead jobs run again',
      load: async () => (await import('./jobs-retry.ts')).jobsRetryCommand,
    },
    discard: {
      summary: 'take jobs out of the queue for good',
      load: async () => (await import('./jobs-discard.ts')).jobsDiscardCommand,
    },
  },
  'Background jobs of this host. A job that failed too often is dead: it stays here until it is retried or discarded.',
);

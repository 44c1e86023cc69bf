import { type JobListing, listJobs } from '../../foundation/jobs/inspect/list-jobs.ts';
import { isoTime } from '../../foundation/kernel/clock.ts';
import type { Style } from '../frame/channel.ts';
import { defineCommand } from '../frame/command.ts';
import { ageOf } from '../frame/lists/age.ts';
import { shortIds } from '../frame/lists/short-ids.ts';
import { type Column, formatTable } from '../frame/lists/table.ts';
import { choice, integer, text } from '../frame/parameters.ts';
import { hostFlags } from '../host/host-flags.ts';
import { withHostDatabase } from '../host/with-host-database.ts';

export const jobsListCommand = defineCommand({
  description: 'Lists background jobs, oldest first. Default: dead jobs.',
  flags: {
    state: choice(['dead', 'ready', 'running', 'all'], 'only jobs in this state; default: dead'),
    task: text('task', 'only jobs of this task'),
    limit: integer('count', 'maximum number of jobs', [1, 200]),
    cursor: text('cursor', 'cursor of the next page, as printed with the previous one'),
    ...hostFlags,
  },
  examples: ['orgctx jobs list', 'orgctx jobs list --state all --task repository-clone --json'],
  run: ({ flags }, context) =>
    withHostDatabase(context, flags, { name: 'jobs' }, async ({ database }) => {
      const { state = 'dead', task, limit, cursor } = flags;
      const filter = { state: state === 'all' ? undefined : state, task, limit, cursor };
      const { items, nextCursor } = await listJobs(database.queries, filter);
      const notes = [
        ...(nextCursor === null ? [] : [`More jobs are available: --cursor ${nextCursor}`]),
        ...(items.length === 0 ? [noJobs(state)] : []),
      ];
      const json = { items: items.map((job) => ({ ...job, runAt: isoTime(job.runAt) })), nextCursor };
      return { json, text: formatTable(items, columnsOf(items), context.terminal.out), notes };
    }),
});

const styles: Readonly<Record<JobListing['state'], Style>> = {
  dead: 'red',
  running: 'green',
  ready: 'yellow',
};

/** Errors may quote other services; the table makes their control characters visible. */
function columnsOf(jobs: readonly JobListing[]): readonly Column<JobListing>[] {
  const shortId = shortIds(jobs.map(({ id }) => id));
  return [
    { title: 'ID', cell: ({ id }) => shortId(id) },
    { title: 'TASK', cell: ({ task }) => task, shrinks: 2 },
    { title: 'STATE', cell: ({ state }) => state, style: ({ state }) => styles[state] },
    { title: 'RUNS', cell: ({ attempts }) => String(attempts) },
    { title: 'DUE', cell: ({ runAt }) => ageOf(runAt) },
    { title: 'ERROR', cell: ({ lastError }) => lastError ?? '', shrinks: 1 },
  ];
}

/** Returns the message for an empty list, with what to do next. */
function noJobs(state: JobListing['state'] | 'all'): string {
  if (state === 'all') return 'The queue is empty: there is nothing to do.';
  return `No job is ${state}. Run "orgctx jobs list --state all" to see the whole queue.`;
}

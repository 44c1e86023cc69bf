import { type JobListing, listJobs } from '../foundation/jobs/list-jobs.ts';
import { isoTime } from '../foundation/kernel/clock.ts';
import { visibleLine } from '../foundation/kernel/visible-text.ts';
import type { Channel, Style } from './frame/channel.ts';
import { defineCommand } from './frame/command.ts';
import { choice, integer, text } from './frame/parameters.ts';
import { hostFlags } from './host-flags.ts';
import { withHostDatabase } from './with-host-database.ts';

export const jobsListCommand = defineCommand({
  description: 'Lists background jobs, oldest first: dead ones unless another state is asked for.',
  flags: {
    state: choice(['dead', 'ready', 'running', 'all'], 'which jobs; dead unless said otherwise'),
    task: text('task', 'jobs of this task alone'),
    limit: integer('count', 'jobs in a page', [1, 200]),
    cursor: text('cursor', 'the next page, as the last one named it'),
    ...hostFlags,
  },
  examples: ['orgctx jobs list', 'orgctx jobs list --state all --task repository-clone --json'],
  run: ({ flags }, context) =>
    withHostDatabase(context, flags, { name: 'jobs' }, async ({ database }) => {
      const { state = 'dead', task, limit, cursor } = flags;
      const filter = { state: state === 'all' ? undefined : state, task, limit, cursor };
      const { items, nextCursor } = await listJobs(database.queries, filter);
      if (nextCursor !== null) context.terminal.note(`There are more: --cursor ${nextCursor}`);
      if (items.length === 0)
        context.terminal.note(state === 'all' ? 'The queue is empty.' : `No job is ${state}.`);
      const json = { items: items.map((job) => ({ ...job, runAt: isoTime(job.runAt) })), nextCursor };
      return { json, text: items.map((job) => inWords(job, context.terminal.out)).join('\n') };
    }),
});

const styles: Readonly<Record<JobListing['state'], Style>> = {
  dead: 'red',
  running: 'green',
  ready: 'yellow',
};

/** Errors hold what other services said, so nothing of a job is printed as it is. */
function inWords(job: JobListing, channel: Channel): string {
  const state = channel.style(styles[job.state], job.state);
  const runs = `${job.attempts} ${job.attempts === 1 ? 'run' : 'runs'}`;
  const line = `${job.id}  ${visibleLine(job.task)}  ${state}  ${runs}, due ${isoTime(job.runAt)}`;
  return job.lastError === null ? line : `${line}\n  ${visibleLine(job.lastError)}`;
}

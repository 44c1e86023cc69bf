import type { Database } from '../foundation/db/database.ts';
import { type Retried, retryAllDeadJobs, retryDeadJobs } from '../foundation/jobs/retry-jobs.ts';
import { type ChosenJobs, choosingArgs, choosingFlags, chosenJobs } from './chosen-jobs.ts';
import { defineCommand } from './frame/command.ts';
import { withHostDatabase } from './with-host-database.ts';

export const jobsRetryCommand = defineCommand({
  description:
    'Lets dead jobs run again: at once, with all their attempts before them. Where a job of the same task for the same ' +
    'thing waits already, the dead one gives way to it.',
  args: choosingArgs,
  flags: choosingFlags,
  examples: [
    'orgctx jobs retry 01980f3e-5f2c-7c3a-9d53-0c2b7b6a9f10',
    'orgctx jobs retry --all --task repository-clone',
  ],
  run: ({ args, flags }, context) => {
    const chosen = chosenJobs(args.ids, flags);
    return withHostDatabase(context, flags, { name: 'jobs' }, async ({ database, log }) => {
      const counts = { retried: 0, gaveWay: 0 };
      for await (const { retried, gaveWay } of retry(database, chosen)) {
        log.info({ audit: 'jobs.retry', retried, gaveWay }, 'dead jobs retried');
        counts.retried += retried.length;
        counts.gaveWay += gaveWay.length;
        context.signal.throwIfAborted();
      }
      return { json: counts, text: inWords(counts) };
    });
  },
});

async function* retry(database: Database, chosen: ChosenJobs): AsyncGenerator<Retried> {
  if (chosen.kind === 'all') yield* retryAllDeadJobs(database, chosen.task);
  else yield await retryDeadJobs(database, chosen.ids);
}

function inWords({ retried, gaveWay }: { readonly retried: number; readonly gaveWay: number }): string {
  const line = `${retried} ${retried === 1 ? 'job runs' : 'jobs run'} again.`;
  return gaveWay === 0 ? line : `${line} ${gaveWay} gave way to one that waits already.`;
}

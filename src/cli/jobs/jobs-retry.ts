import { recordJobsAsHost } from '../../features/identity/audit/act-as-host.ts';
import type { Database } from '../../foundation/db/database.ts';
import {
  type RetryResult,
  retryAllDeadJobs,
  retryDeadJobs,
} from '../../foundation/jobs/inspect/retry-jobs.ts';
import { systemClock } from '../../foundation/kernel/clock.ts';
import { counted } from '../../foundation/kernel/text/counted.ts';
import { defineCommand } from '../frame/command.ts';
import { completeIds } from '../host/host-ids.ts';
import { withHostDatabase } from '../host/with-host-database.ts';
import { type ChosenJobs, choosingArgs, choosingFlags, chosenJobs, jobRecords } from './chosen-jobs.ts';

export const jobsRetryCommand = defineCommand({
  description:
    'Retries dead jobs at once, with all their attempts. If a job of the same task for the same object is already waiting, ' +
    'the dead job is removed instead.',
  args: choosingArgs,
  flags: choosingFlags,
  examples: [
    'orgctx jobs retry 01980f3e-5f2c-7c3a-9d53-0c2b7b6a9f10',
    'orgctx jobs retry --all --task repository-clone',
  ],
  run: ({ args, flags }, context) => {
    const chosen = chosenJobs(args.ids, flags);
    return withHostDatabase(context, flags, { name: 'jobs' }, async ({ database, log }) => {
      const counts = { retried: 0, replaced: 0 };
      for await (const { retried, replaced } of retry(database, chosen)) {
        log.info({ audit: 'jobs.retried', retried, replaced }, 'dead jobs retried');
        counts.retried += retried.length;
        counts.replaced += replaced.length;
        context.signal.throwIfAborted();
      }
      return { json: counts, text: toText(counts) };
    });
  },
});

const record = recordJobsAsHost('jobs.retried', systemClock);

async function* retry(database: Database, chosen: ChosenJobs): AsyncGenerator<RetryResult> {
  if (chosen.kind === 'all') yield* retryAllDeadJobs(database, chosen.task, record);
  else
    yield await retryDeadJobs(database, await completeIds(database.queries, jobRecords, chosen.ids), record);
}

function toText({ retried, replaced }: { readonly retried: number; readonly replaced: number }): string {
  const line = `${counted(retried, 'job runs', 'jobs run')} again.`;
  return replaced === 0 ? line : `${line} ${replaced} removed, because the same work is already waiting.`;
}

import { recordJobsAsHost } from '../../features/identity/audit/act-as-host.ts';
import type { Database } from '../../foundation/db/database.ts';
import { discardAllDeadJobs, discardJobs } from '../../foundation/jobs/inspect/retry-jobs.ts';
import { systemClock } from '../../foundation/kernel/clock.ts';
import { counted } from '../../foundation/kernel/text/counted.ts';
import { defineCommand } from '../frame/command.ts';
import { confirmed } from '../frame/confirm.ts';
import { toggle } from '../frame/parameters.ts';
import type { Terminal } from '../frame/terminal.ts';
import { UsageError } from '../frame/usage-error.ts';
import { completeIds } from '../host/host-ids.ts';
import { withHostDatabase } from '../host/with-host-database.ts';
import { type ChosenJobs, choosingArgs, choosingFlags, chosenJobs, jobRecords } from './chosen-jobs.ts';

export const jobsDiscardCommand = defineCommand({
  description:
    'Permanently removes jobs from the queue; their work is not done. Jobs that are given by id may be dead or waiting. ' +
    '--all removes all dead jobs after confirmation; without an interactive terminal it needs --yes.',
  args: choosingArgs,
  flags: { ...choosingFlags, yes: toggle('with --all: do not ask for confirmation') },
  examples: [
    'orgctx jobs discard 01980f3e-5f2c-7c3a-9d53-0c2b7b6a9f10',
    'orgctx jobs discard --all --task repository-clone --yes',
  ],
  run: async ({ args, flags }, context) => {
    const chosen = chosenJobs(args.ids, flags);
    if (chosen.kind === 'all' && !flags.yes) await requireConsent(context.terminal);
    return withHostDatabase(context, flags, { name: 'jobs' }, async ({ database, log }) => {
      let discarded = 0;
      for await (const ids of discard(database, chosen)) {
        log.info({ audit: 'jobs.discarded', discarded: ids }, 'jobs discarded');
        discarded += ids.length;
        context.signal.throwIfAborted();
      }
      return {
        json: { discarded },
        text: `${counted(discarded, 'job')} discarded.`,
      };
    });
  },
});

const record = recordJobsAsHost('jobs.discarded', systemClock);

async function* discard(database: Database, chosen: ChosenJobs): AsyncGenerator<readonly string[]> {
  if (chosen.kind === 'all') {
    yield* discardAllDeadJobs(database, chosen.task, record);
    return;
  }
  const ids = await completeIds(database.queries, jobRecords, chosen.ids);
  await discardJobs(database, ids, record);
  yield ids;
}

async function requireConsent(terminal: Terminal): Promise<void> {
  const question = 'Permanently discard all of these dead jobs?';
  if (terminal.interactive && (await confirmed(terminal, question))) return;
  throw new UsageError(
    'Discarding all dead jobs cannot be undone and was not confirmed; nothing was changed.',
    'Check them with "orgctx jobs list", then add --yes.',
  );
}

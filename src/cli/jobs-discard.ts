import type { Database } from '../foundation/db/database.ts';
import { discardAllDeadJobs, discardJobs } from '../foundation/jobs/retry-jobs.ts';
import { type ChosenJobs, choosingArgs, choosingFlags, chosenJobs } from './chosen-jobs.ts';
import { defineCommand } from './frame/command.ts';
import { confirmed } from './frame/confirm.ts';
import { toggle } from './frame/parameters.ts';
import type { Terminal } from './frame/terminal.ts';
import { UsageError } from './frame/usage-error.ts';
import { withHostDatabase } from './with-host-database.ts';

export const jobsDiscardCommand = defineCommand({
  description:
    'Takes jobs out of the queue for good: what they were to do is not done. Named ones may be dead or waiting; --all takes ' +
    'the dead ones and asks first, or needs --yes where nobody can be asked.',
  args: choosingArgs,
  flags: { ...choosingFlags, yes: toggle('with --all: do not ask') },
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
        log.info({ audit: 'jobs.discard', discarded: ids }, 'jobs discarded');
        discarded += ids.length;
        context.signal.throwIfAborted();
      }
      return {
        json: { discarded },
        text: `${discarded} ${discarded === 1 ? 'job' : 'jobs'} discarded.`,
      };
    });
  },
});

async function* discard(database: Database, chosen: ChosenJobs): AsyncGenerator<readonly string[]> {
  if (chosen.kind === 'all') {
    yield* discardAllDeadJobs(database, chosen.task);
    return;
  }
  await discardJobs(database, chosen.ids);
  yield chosen.ids;
}

async function requireConsent(terminal: Terminal): Promise<void> {
  const question = 'Discard all of these dead jobs for good?';
  if (terminal.interactive && (await confirmed(terminal, question))) return;
  throw new UsageError(
    'Discarding all dead jobs cannot be undone: nothing was changed.',
    'Look at them with "orgctx jobs list", then add --yes.',
  );
}

import { text, texts, toggle } from './frame/parameters.ts';
import { UsageError } from './frame/usage-error.ts';
import { hostFlags } from './host-flags.ts';

/** Arguments and flags of the commands that change jobs. */
export const choosingArgs = { ids: texts('ids of jobs, as "jobs list" shows them') };
export const choosingFlags = {
  all: toggle('every dead job'),
  task: text('task', 'with --all: the dead jobs of this task alone'),
  ...hostFlags,
};

/** Which jobs a command is about: the named ones, or `all` the dead ones. */
export type ChosenJobs =
  | { readonly kind: 'named'; readonly ids: readonly string[] }
  | { readonly kind: 'all'; readonly task: string | undefined };

/** @throws UsageError unless exactly one of the two ways is used. */
export function chosenJobs(
  ids: readonly string[],
  { all, task }: { readonly all: boolean; readonly task: string | undefined },
): ChosenJobs {
  const hint = 'Name the ids of "orgctx jobs list", or use --all, with --task for one task alone.';
  if (all && ids.length > 0) throw new UsageError('Both ids and --all were given.', hint);
  if (all) return { kind: 'all', task };
  if (ids.length === 0) throw new UsageError('No jobs were named.', hint);
  if (task !== undefined) throw new UsageError('--task goes with --all.', hint);
  return { kind: 'named', ids: [...new Set(ids)] };
}

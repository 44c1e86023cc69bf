import { text, texts, toggle } from '../frame/parameters.ts';
import { UsageError } from '../frame/usage-error.ts';
import { hostFlags } from '../host/host-flags.ts';
import type { HostRecords } from '../host/host-ids.ts';

export const jobRecords: HostRecords = {
  table: 'jobs',
  singular: 'job',
  plural: 'jobs',
  listedBy: 'orgctx jobs list --state all',
};

/** The arguments and flags of the commands that change jobs. */
export const choosingArgs = { ids: texts('ids of jobs, or their starts, from "orgctx jobs list"') };
export const choosingFlags = {
  all: toggle('all dead jobs'),
  task: text('task', 'with --all: only dead jobs of this task'),
  ...hostFlags,
};

/** The jobs that a command changes: those with the given ids, or all dead ones. */
export type ChosenJobs =
  | { readonly kind: 'named'; readonly ids: readonly string[] }
  | { readonly kind: 'all'; readonly task: string | undefined };

/** Reads which jobs to change. @throws UsageError unless either ids or --all are given */
export function chosenJobs(
  ids: readonly string[],
  { all, task }: { readonly all: boolean; readonly task: string | undefined },
): ChosenJobs {
  const hint = 'Give ids from "orgctx jobs list", or use --all, with --task to select one task.';
  if (all && ids.length > 0)
    throw new UsageError('Both ids and --all were given; they cannot be combined.', hint);
  if (all) return { kind: 'all', task };
  if (ids.length === 0) throw new UsageError('No jobs were given.', hint);
  if (task !== undefined) throw new UsageError('--task requires --all.', hint);
  return { kind: 'named', ids };
}

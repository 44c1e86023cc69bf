import type { GitSource } from '../source/git-source.ts';

/**
 * Returns the arguments of git-push(1) that set the receiving program for a folder on this host. That process does
 * not inherit the configuration from the environment, and the folder's own configuration would be run with the rights
 * of this service: hooks, a file-system monitor, filters of a checkout, a command that lists the refs of alternates.
 * Git's own check that the folder belongs to this account is kept.
 */
export function receivePackArguments({ kind }: GitSource): readonly string[] {
  if (kind !== 'folder') return [];
  const config = disabledFeatures.flatMap((setting) => ['-c', setting]);
  return [`--receive-pack=git ${config.join(' ')} receive-pack`];
}

/** Settings that disable this. They need no quoting in a shell. */
const disabledFeatures = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.alternateRefsCommand=true',
  // Updates no work tree, so that no filter runs.
  'receive.denyCurrentBranch=refuse',
  'receive.autogc=false',
  'gc.auto=0',
  'maintenance.auto=false',
  // A confirmed push is on disk.
  'core.fsync=all',
] as const;

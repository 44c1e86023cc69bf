import type { GitSource } from '../git-source.ts';

/**
 * What Git starts to write into a folder on this host, as arguments of git-push(1). It takes the configuration in the
 * environment away from that process, and what the folder itself says would be run with the rights of this service:
 * hooks, a monitor of files, filters of a checkout, a command that lists the refs of alternates. Its own check that the
 * folder is of this account stays as it is.
 */
export function receivePackArguments({ kind }: GitSource): readonly string[] {
  if (kind !== 'folder') return [];
  const config = inert.flatMap((setting) => ['-c', setting]);
  return [`--receive-pack=git ${config.join(' ')} receive-pack`];
}

/** In words of a shell. */
const inert = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.alternateRefsCommand=true',
  // Updates no work tree, so that no filter is run.
  'receive.denyCurrentBranch=refuse',
  'receive.autogc=false',
  'gc.auto=0',
  'maintenance.auto=false',
  // What is confirmed is on the disk.
  'core.fsync=all',
] as const;

import { spawnGit } from '../../process/spawn-git.ts';
import { fullId } from '../commit-id.ts';
import { records } from '../records.ts';
import { logRecords } from './log-records.ts';

/** The paths that a commit changed with respect to its first parent. */
export interface ChangedPaths {
  /** The first paths, as many as were asked for; a rename contributes both of its paths. */
  readonly paths: readonly string[];
  /** Number of paths that it changed. */
  readonly changed: number;
}

/** The paths of an empty commit, and of one whose paths were not read: none. */
export const noPaths: ChangedPaths = { paths: [], changed: 0 };

/** Options of `git log` for the paths that commits changed. Merges contain what they changed in their first parent. */
export const changedPaths: readonly string[] = [
  '--name-only',
  '--no-renames',
  '--no-ext-diff',
  '--root',
  '--diff-merges=first-parent',
];

/**
 * Reads which paths some commits changed, at most `max` paths of each. @throws GitError; the reason of `signal`
 */
export async function readChangedPaths(
  gitDir: string,
  ids: readonly string[],
  max: number,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, ChangedPaths>> {
  const found = new Map<string, ChangedPaths>();
  if (ids.length === 0) return found;
  const shape = ['-z', '--format=%x00%H', '--no-color', '--no-show-signature'];
  const args = ['log', '--no-walk=unsorted', ...shape, ...changedPaths, ...ids.map(fullId), '--'];
  for await (const commit of logRecords(records(spawnGit(gitDir, args, signal)), 1, max))
    found.set(commit.fields[0]!, { paths: commit.changes, changed: commit.changed });
  return found;
}

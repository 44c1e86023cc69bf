import { spawnGit } from '../../process/spawn-git.ts';
import { fullId } from '../commit-id.ts';
import { pathText } from '../path-text.ts';
import { records } from '../records.ts';

/** The paths that a commit changed with respect to its first parent. */
export interface ChangedPaths {
  /** The first paths, as many as were asked for; a rename contributes both of its paths. */
  readonly paths: readonly string[];
  /** Number of paths that it changed. */
  readonly changed: number;
}

/**
 * Reads which paths some commits changed, at most `max` paths of each. Merges contain what they changed in their first
 * parent. @throws GitError; the reason of `signal`
 */
export async function readChangedPaths(
  gitDir: string,
  ids: readonly string[],
  max: number,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, ChangedPaths>> {
  const found = new Map<string, { paths: string[]; changed: number }>();
  if (ids.length === 0) return found;
  const shape = ['-z', '--format=%x00%H', '--no-color', '--no-show-signature'];
  const changes = ['--name-only', '--no-renames', '--no-ext-diff', '--root', '--diff-merges=first-parent'];
  const running = spawnGit(
    gitDir,
    ['log', '--no-walk=unsorted', ...shape, ...changes, ...ids.map(fullId), '--'],
    signal,
  );
  let own: { paths: string[]; changed: number } | undefined;
  // A commit is an empty record, its id and its paths, none of which is empty.
  for await (const record of records(running)) {
    if (record.length === 0) own = undefined;
    else if (own === undefined) {
      own = { paths: [], changed: 0 };
      found.set(record.toString('latin1'), own);
    } else {
      // Git prints a line break before the first path. Any other line break is part of the path.
      if (own.changed < max) own.paths.push(pathText(own.changed === 0 ? record.subarray(1) : record));
      own.changed += 1;
    }
  }
  return found;
}

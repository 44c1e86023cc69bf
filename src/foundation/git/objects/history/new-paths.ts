import { spawnGit } from '../../process/spawn-git.ts';
import { fullId } from '../commit-id.ts';
import { records } from '../records.ts';
import { fileStatuses, logRecords } from './log-records.ts';

/** A path that a commit made, with the former path if the commit renamed a file. */
export interface NewPath {
  readonly path: string;
  readonly from: string | undefined;
}

/**
 * Maximum number of added and of removed files of a commit that are compared with each other. In a larger commit, only
 * files with equal content are renames.
 */
const maxCompared = 400;

/**
 * Yields the paths that the first-parent history of `to` made, oldest first, without those that `after` reaches. Merges
 * contain what they changed in the first parent. @throws GitError; the reason of `signal`
 */
export async function* readNewPaths(
  gitDir: string,
  { to, after }: { readonly to: string; readonly after?: string | undefined },
  signal?: AbortSignal,
): AsyncGenerator<NewPath, void> {
  const changes = [
    '--find-renames',
    `-l${maxCompared}`,
    '--diff-filter=AR',
    '--name-status',
    '--no-ext-diff',
  ];
  const walk = ['--reverse', '--first-parent', '--diff-merges=first-parent', '--root'];
  const shape = ['-z', '--format=%x00%H', '--no-color', '--no-show-signature'];
  const range = after === undefined ? [fullId(to)] : [fullId(to), `^${fullId(after)}`];
  const args = ['log', ...walk, ...shape, ...changes, ...range, '--'];
  for await (const commit of logRecords(records(spawnGit(gitDir, args, signal)), 1))
    for (const { path, from } of fileStatuses(commit.changes)) yield { path, from };
}

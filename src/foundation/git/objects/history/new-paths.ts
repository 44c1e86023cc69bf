import { spawnGit } from '../../process/spawn-git.ts';
import { fullId } from '../commit-id.ts';
import { pathText } from '../path-text.ts';
import { records } from '../records.ts';

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
  const shape = ['-z', '--format=', '--no-color', '--no-show-signature'];
  const range = after === undefined ? [fullId(to)] : [fullId(to), `^${fullId(after)}`];
  const args = ['log', ...walk, ...shape, ...changes, ...range, '--'];
  // Each path is preceded by its status: `A` and the path, or `R` with a number and both paths.
  let fields: string[] = [];
  for await (const record of records(spawnGit(gitDir, args, signal))) {
    fields.push(fields.length === 0 ? record.toString('latin1') : pathText(record));
    const [status = '', first = '', second] = fields;
    if (status === '') fields = [];
    else if (status.startsWith('R') && second !== undefined) {
      yield { path: second, from: first };
      fields = [];
    } else if (!status.startsWith('R') && fields.length === 2) {
      yield { path: first, from: undefined };
      fields = [];
    }
  }
}

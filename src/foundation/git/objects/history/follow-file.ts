import { spawnGit } from '../../process/spawn-git.ts';
import { pathArguments } from '../path-arguments.ts';
import { pathText } from '../path-text.ts';
import { records } from '../records.ts';
import { comparedSize, renameOptions } from './commit-files.ts';

/** A commit that changed a file. */
export interface FollowedCommit {
  readonly id: string;
  /** The path of the file as of this commit. */
  readonly path: string;
  /** The former path of the file, if the commit renamed it. */
  readonly renamedFrom?: string;
}

interface Place {
  /** The commit whose history is read, as Git takes it. */
  readonly to: string;
  readonly path: string;
}

/** Maximum number of renames of a file that are followed. */
const maxRenames = 50;

/**
 * Yields the commits that changed a file, newest first, through renames up to the commit that made it, also as a copy.
 * Merges are left out, and what did not survive one, unless the file `isGone`. Git reads few commits for one path, but
 * all with `--follow`, so only a commit that made the path is asked where it came from.
 * @throws GitError; the reason of `signal`
 */
export async function* followFile(
  gitDir: string,
  { isGone, ...newest }: Place & { readonly isGone: boolean },
  signal: AbortSignal,
): AsyncGenerator<FollowedCommit, void> {
  // Without it, Git would follow only one of the parents that lack the path.
  const walk = isGone ? ['--full-history', '--no-renames'] : ['--no-renames'];
  const origin = ['--no-walk', '--follow', ...renameOptions];
  let place: Place = newest;
  for (let renames = 0; renames <= maxRenames; renames += 1) {
    let former: Place | undefined;
    for await (const { id, status, first } of changesOf(gitDir, place, walk, signal)) {
      let made: Change | undefined;
      if (status === 'A' && first === place.path)
        for await (const one of changesOf(gitDir, { ...place, to: id }, origin, signal)) made = one;
      if (made?.status === 'R') former = { to: `${id}^`, path: made.first };
      yield { id, path: place.path, ...(former && { renamedFrom: former.path }) };
      if (made?.status === 'C') return;
      if (former !== undefined) break;
    }
    if (former === undefined) return;
    place = former;
  }
}

/** What a commit did with a path. */
interface Change {
  readonly id: string;
  /** A letter, as Git prints it: `A` for a path that it made. */
  readonly status: string;
  /** The first path: the former one of a file that was renamed. */
  readonly first: string;
}

async function* changesOf(
  gitDir: string,
  { to, path }: Place,
  options: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<Change, void> {
  const shape = ['-z', '--format=%x00%H', '--no-color', '--no-show-signature', '--name-status'];
  const { args: paths, input } = pathArguments([path]);
  const args = [...comparedSize, 'log', '--no-merges', ...shape, '--no-ext-diff', ...options, to, ...paths];
  const running = spawnGit(gitDir, args, signal);
  running.child.stdin.end(input);
  let fields: string[] = [];
  // A commit is an empty record, its id, and statuses with their paths, of which the first is read.
  for await (const record of records(running)) {
    if (record.length === 0) fields = [];
    // Git prints a line break before the first status.
    else if (fields.length < 3 && fields.push(pathText(record)) === 3)
      yield { id: fields[0] ?? '', status: fields[1]?.at(1) ?? '', first: fields[2] ?? '' };
  }
}

import { gitOutput } from '../../process/spawn-git.ts';
import { fullId } from '../commit-id.ts';

/** Returns the ids of the parents of a commit, none for a root. @throws GitError, also if the commit does not exist */
export async function readParents(
  gitDir: string,
  id: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const args = ['rev-list', '--no-walk', '--parents', fullId(id), '--'];
  const ids = (await gitOutput(gitDir, args, { signal })).toString('latin1').trim().split(' ');
  return ids.slice(1);
}

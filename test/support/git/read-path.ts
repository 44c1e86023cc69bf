import { findPath } from '../../../src/foundation/git/objects/objects.ts';
import { gitOutput } from '../../../src/foundation/git/process/spawn-git.ts';

/**
 * Reads the file at a path of a commit, or the target of a symlink, with Git processes of its own. Returns `too_large`
 * above `maxBytes`, `undefined` if there is no file.
 */
export async function readPath(
  gitDir: string,
  commit: string,
  path: string,
  maxBytes: number,
): Promise<Buffer | 'too_large' | undefined> {
  const found = await findPath(gitDir, commit, path);
  if (found?.type !== 'blob') return undefined;
  return found.bytes > maxBytes ? 'too_large' : gitOutput(gitDir, ['cat-file', 'blob', found.oid]);
}

import { isDiskFull } from '../../kernel/error-code.ts';
import { diskFullMessage, GitError } from '../process/git-error.ts';
import { invalidateCopy } from './copy-mark.ts';

export const tornMessage =
  'The local copy of the context repository is damaged. It will be created again automatically.';

/**
 * Converts an error of Git on a copy. A copy that Git cannot use is invalidated and created again by the next
 * attempt, since the source has everything that is in it. Any other error is returned unchanged.
 */
export async function copyFailure(gitDir: string, error: unknown): Promise<unknown> {
  const full = diskFailure(error);
  if (full !== undefined) return full;
  if (!(error instanceof GitError) || error.reason !== 'damaged') return error;
  const { detail, cause } = error;
  await invalidateCopy(gitDir);
  return new GitError('torn', tornMessage, {
    cause: cause ?? error,
    ...(detail === undefined ? {} : { detail }),
  });
}

/** Returns the error for a full disk, as reported by Git or the system; `undefined` for any other error. */
export function diskFailure(error: unknown): GitError | undefined {
  if (isDiskFull(error)) {
    return new GitError('disk_full', diskFullMessage, { cause: error });
  }
  if (!(error instanceof GitError) || error.reason !== 'damaged') return undefined;
  const { detail } = error;
  if (!/No space left on device|Disk quota exceeded/i.test(String(detail?.['stderr']))) return undefined;
  return new GitError('disk_full', diskFullMessage, {
    cause: error,
    ...(detail === undefined ? {} : { detail }),
  });
}

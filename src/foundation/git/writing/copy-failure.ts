import { isDiskFull } from '../../kernel/error-code.ts';
import { diskFullWords, GitError } from '../git-error.ts';
import { condemn } from './copy-mark.ts';

export const tornWords =
  'The local copy of the context repository cannot be used. It is made anew by itself.';

/**
 * What a failure of Git on a copy means: the source has everything that is in one, so a copy that Git cannot work with
 * is given up and made anew at the next try. Any other error is given back.
 */
export async function copyFailure(gitDir: string, error: unknown): Promise<unknown> {
  const full = diskFailure(error);
  if (full !== undefined) return full;
  if (!(error instanceof GitError) || error.reason !== 'damaged') return error;
  const { detail, cause } = error;
  await condemn(gitDir);
  return new GitError('torn', tornWords, {
    cause: cause ?? error,
    ...(detail === undefined ? {} : { detail }),
  });
}

/** The failure of a disk that is full, as Git or the system says it; `undefined` for any other. */
export function diskFailure(error: unknown): GitError | undefined {
  if (isDiskFull(error)) {
    return new GitError('disk_full', diskFullWords, { cause: error });
  }
  if (!(error instanceof GitError) || error.reason !== 'damaged') return undefined;
  const { detail } = error;
  if (!/No space left on device|Disk quota exceeded/i.test(String(detail?.['stderr']))) return undefined;
  return new GitError('disk_full', diskFullWords, {
    cause: error,
    ...(detail === undefined ? {} : { detail }),
  });
}

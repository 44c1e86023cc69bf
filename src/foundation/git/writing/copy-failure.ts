import { GitError } from '../git-error.ts';
import { condemn } from './copy-mark.ts';

/**
 * What a failure of Git on a copy means: the source has everything that is in one, so a copy that Git cannot work with
 * is given up and made anew at the next try. Any other error is given back.
 */
export async function copyFailure(gitDir: string, error: unknown): Promise<unknown> {
  if (!(error instanceof GitError) || error.reason !== 'damaged') return error;
  const { detail, cause } = error;
  if (/No space left on device|Disk quota exceeded/i.test(String(detail?.['stderr']))) {
    const message = 'The disk of the data folder is full. Make room; the work goes on by itself.';
    return new GitError('disk_full', message, { cause: error, ...(detail === undefined ? {} : { detail }) });
  }
  await condemn(gitDir);
  return new GitError(
    'torn',
    'The local copy of the context repository cannot be used. It is made anew by itself.',
    { cause: cause ?? error, ...(detail === undefined ? {} : { detail }) },
  );
}

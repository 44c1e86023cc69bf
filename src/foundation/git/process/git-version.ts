import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { assertOutsideTransaction } from '../../kernel/inside-transaction.ts';
import { GitError } from './git-error.ts';
import { notStarted, startGit } from './spawn-git.ts';

/**
 * Minimum version of Git. 2.37 added `http.curloptResolve`, which is required to pin a host's addresses, and 2.38
 * `cat-file -z`.
 */
const minVersion = [2, 38] as const;

/**
 * Returns the version of the installed Git, such as `2.47.1`.
 * @throws GitError `git_missing` if it is not installed or too old; `failed` if it cannot be started now
 */
export async function checkGitVersion(): Promise<string> {
  assertOutsideTransaction('A Git process');
  const child = startGit(['version'], { stdio: ['ignore', 'pipe', 'ignore'] });
  const failed = new Promise<never>((_resolve, reject) => {
    child.once('error', (error) => reject(notStarted(error)));
  });
  const version = await Promise.race([text(child.stdout as Readable), failed]);
  const [, found = '', major = '', minor = ''] = /(?<!\d)((\d+)\.(\d+)\S*)/.exec(version) ?? [];
  if (Number(major) > minVersion[0] || (Number(major) === minVersion[0] && Number(minor) >= minVersion[1]))
    return found;
  throw new GitError(
    'git_missing',
    `Git ${found || 'of an unknown version'} is too old. Install Git ${minVersion.join('.')} or newer on this host.`,
  );
}

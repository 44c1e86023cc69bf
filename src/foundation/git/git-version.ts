import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { assertOutsideTransaction } from '../kernel/inside-transaction.ts';
import { GitError } from './git-error.ts';
import { notStarted, startGit } from './spawn-git.ts';

/** 2.37 brought `http.curloptResolve`, without which a host could not be pinned; 2.38 `cat-file -z`. */
const oldest = [2, 38] as const;

/**
 * The installed Git's version, such as `2.47.1`.
 * @throws GitError `git_missing` when there is none, or one too old; `failed` when it cannot be started now
 */
export async function checkGitVersion(): Promise<string> {
  assertOutsideTransaction('A Git process');
  const child = startGit(['version'], { stdio: ['ignore', 'pipe', 'ignore'] });
  const failed = new Promise<never>((_resolve, reject) => {
    child.once('error', (error) => reject(notStarted(error)));
  });
  const version = await Promise.race([text(child.stdout as Readable), failed]);
  const [, found = '', major = '', minor = ''] = /((\d+)\.(\d+)\S*)/.exec(version) ?? [];
  if (Number(major) > oldest[0] || (Number(major) === oldest[0] && Number(minor) >= oldest[1])) return found;
  throw new GitError(
    'git_missing',
    `Git ${found || 'of an unknown version'} is too old. Install Git ${oldest.join('.')} or newer on this host.`,
  );
}

import { GitError } from '../process/git-error.ts';
import type { RunningGit } from '../process/spawn-git.ts';

/**
 * Maximum length of a record: sixteen times the maximum length of a listed path. A forged name has no length limit.
 */
const maxRecordLength = 64 * 1024;

/**
 * Yields the NUL-terminated records of a process as it prints them. Stopping early ends the process; its failure is
 * thrown after the last record. Each record is valid until the next one is requested.
 * @throws GitError `too_large` for a record above `maxLength`, unless it `cuts` such records to that length
 */
export async function* records(
  { child, ended }: RunningGit,
  maxLength = maxRecordLength,
  { cuts = false } = {},
): AsyncGenerator<Buffer, void> {
  child.stdin.end();
  let rest: Buffer = Buffer.alloc(0);
  try {
    for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
      const data = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      let begin = 0;
      for (let end = data.indexOf(0); end !== -1; end = data.indexOf(0, begin)) {
        yield data.subarray(begin, cuts ? Math.min(end, begin + maxLength) : end);
        begin = end + 1;
      }
      rest = data.subarray(begin);
      if (rest.length > maxLength && cuts) rest = Buffer.from(rest.subarray(0, maxLength));
      else if (rest.length > maxLength)
        throw new GitError('too_large', `The repository has a name or text of more than ${maxLength} bytes.`);
    }
    await ended;
  } finally {
    child.kill();
  }
}

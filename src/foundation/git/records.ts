import { GitError } from './git-error.ts';
import type { RunningGit } from './spawn-git.ts';

/** Sixteen times the longest path that is listed; a forged name has no length limit of its own. */
const longestRecord = 64 * 1024;

/**
 * The NUL-terminated records of a process, as it prints them. Stopping early ends the process; its failure is thrown
 * after the last record. Each record is valid until the next one is asked for.
 */
export async function* records({ child, ended }: RunningGit): AsyncGenerator<Buffer, void> {
  child.stdin.end();
  let rest: Buffer = Buffer.alloc(0);
  try {
    for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
      const data = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      let begin = 0;
      for (let end = data.indexOf(0); end !== -1; end = data.indexOf(0, begin)) {
        yield data.subarray(begin, end);
        begin = end + 1;
      }
      rest = data.subarray(begin);
      if (rest.length > longestRecord)
        throw new GitError('too_large', 'The repository has a path without end.');
    }
    await ended;
  } finally {
    child.kill();
  }
}

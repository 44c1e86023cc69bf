import { spawnGit } from '../../process/spawn-git.ts';
import { fullId } from '../commit-id.ts';
import { pathText } from '../path-text.ts';
import { records } from '../records.ts';
import { unreadable } from './log-records.ts';
import { withinTime } from './within-time.ts';

/** A file that a commit changed with respect to its first parent. */
export interface CommitFile {
  readonly path: string;
  /** The former path, if the commit renamed the file. */
  readonly renamedFrom?: string;
  readonly status: 'added' | 'changed' | 'removed' | 'renamed';
  /** Numbers of lines; undefined for a binary file, and if the time was up before they were counted. */
  readonly added?: number;
  readonly removed?: number;
  readonly binary?: true;
}

/** Options of a comparison that finds renames, in a time that does not grow with the square of the files. */
export const renameOptions: readonly string[] = ['-M', '-l400', '--no-ext-diff', '--no-textconv', '--root'];
/** Versions of a file above this size count as binary: a history may hold one of gigabytes. */
export const comparedSize: readonly string[] = [
  '-c',
  'core.bigFileThreshold=4m',
  '-c',
  'core.quotePath=false',
];

const statuses: Readonly<Record<string, CommitFile['status']>> = {
  A: 'added',
  D: 'removed',
  R: 'renamed',
};

/**
 * Returns the first `max` files that a commit changed, with renames. Ends after `timeoutMs` with what was read until
 * then. @throws GitError, also if the commit does not exist; the reason of `signal`
 */
export async function readCommitFiles(
  gitDir: string,
  { id, max }: { readonly id: string; readonly max: number },
  timeoutMs: number,
  signal: AbortSignal,
): Promise<readonly CommitFile[]> {
  const shape = ['-z', '--format=', '--no-color', '--no-show-signature', '--diff-merges=first-parent'];
  const args = ['log', '--no-walk', ...shape, ...renameOptions, '--raw', '--numstat', fullId(id), '--'];
  const files: CommitFile[] = [];
  await withinTime(timeoutMs, signal, async (bounded) => {
    let next = 0;
    for await (const entry of entries(records(spawnGit(gitDir, [...comparedSize, ...args], bounded)))) {
      if ('status' in entry) {
        if (files.length < max) files.push(entry);
        continue;
      }
      // Git prints all files, then the counts in the same order.
      const file = files[next];
      if (file === undefined) break;
      files[next] = { ...file, ...entry };
      next += 1;
      if (next === files.length) break;
    }
  });
  return files;
}

type Counts = { readonly added: number; readonly removed: number } | { readonly binary: true };

async function* entries(output: AsyncIterable<Buffer>): AsyncGenerator<CommitFile | Counts, void> {
  const iterator = output[Symbol.asyncIterator]();
  const nextPath = async (): Promise<string> => {
    const { value, done } = await iterator.next();
    if (done === true) throw unreadable();
    return pathText(value);
  };
  try {
    for (;;) {
      const { value, done } = await iterator.next();
      if (done === true) return;
      const text = value.toString('latin1').replace(/^\n/, '');
      const letter = /^:[\d]{6} [\d]{6} [\da-f]+ [\da-f]+ ([A-Z])\d*$/.exec(text)?.[1];
      if (letter === undefined) {
        const [, added = '', removed = '', path] = /^(\d+|-)\t(\d+|-)\t([^]*)$/.exec(text) ?? [];
        if (path === undefined) continue;
        // The paths of a rename follow as records of their own.
        if (path === '') await nextPath().then(nextPath);
        yield added === '-' ? { binary: true } : { added: Number(added), removed: Number(removed) };
        continue;
      }
      const path = await nextPath();
      const status = statuses[letter] ?? 'changed';
      yield status === 'renamed' ? { path: await nextPath(), renamedFrom: path, status } : { path, status };
    }
  } finally {
    await iterator.return?.(undefined);
  }
}

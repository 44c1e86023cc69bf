import { GitError } from '../../process/git-error.ts';
import { gitOutput, spawnGit } from '../../process/spawn-git.ts';
import { fullId, isObjectId } from '../commit-id.ts';
import { records } from '../records.ts';
import { changedPaths } from './changed-paths.ts';
import { noLaterThanNow, parseCommitTime } from './commit-time.ts';
import { logRecords, unreadable } from './log-records.ts';

/** A commit with what it changed. */
export interface HistoryCommit {
  readonly id: string;
  /** The first parent; `undefined` for a root. */
  readonly parent: string | undefined;
  /** Time according to the committer, in seconds since 1970. `readHistory` returns none later than now. */
  readonly time: number;
  readonly author: Signature;
  readonly committer: Signature;
  /** Subject and body. */
  readonly message: string;
  /** Paths that differ from the first parent, at most `maxPaths`; a rename contributes both of its paths. */
  readonly paths: readonly string[];
  /** Number of paths that differ from the first parent. */
  readonly changed: number;
}

/** As written in the commit, without `.mailmap`. */
export interface Signature {
  readonly name: string;
  readonly email: string;
}

/** Maximum number of paths that are kept of a commit. One with more is an import or a move of everything. */
const maxPaths = 1_000;
/** Maximum size of a message of a history; of the message of one commit that is read, which is cut. */
const maxMessageBytes = 8 * 1024 ** 2;
const maxCutBytes = 256 * 1024;

/**
 * Yields the first-parent history of `to`, newest first: at most `max` commits, and none that `after` reaches. Merges
 * contain what they changed in the first parent.
 * @throws GitError, `too_large` for a message of more than 8 MiB, also if a commit does not exist; the reason of
 * `signal`
 */
export async function* readHistory(
  gitDir: string,
  { to, after, max }: { readonly to: string; readonly after?: string | undefined; readonly max: number },
  signal?: AbortSignal,
): AsyncGenerator<HistoryCommit, void> {
  const range = [fullId(to), ...(after === undefined ? [] : [`^${fullId(after)}`])];
  const running = spawnGit(gitDir, logArgs(range, max), signal);
  for await (const commit of parseHistory(records(running, maxMessageBytes)))
    yield { ...commit, time: noLaterThanNow(commit.time) };
}

/**
 * Reads one commit; the end of a message of more than 256 KiB is left out. @throws GitError, also if it does not exist;
 * the reason of `signal`
 */
export async function readCommit(gitDir: string, id: string, signal: AbortSignal): Promise<HistoryCommit> {
  const running = spawnGit(gitDir, logArgs([fullId(id)], 1), signal);
  for await (const commit of parseHistory(records(running, maxCutBytes, { cuts: true }))) return commit;
  throw unreadable();
}

function logArgs(range: readonly string[], max: number): readonly string[] {
  const shape = [
    '-z',
    `--format=%x00%H %ct %P%x00%an%x00%ae%x00%cn%x00%ce%x00%B`,
    '--encoding=UTF-8',
    '--no-color',
    '--no-show-signature',
    '--no-mailmap',
  ];
  return ['log', '--first-parent', `--max-count=${max}`, ...shape, ...changedPaths, ...range, '--'];
}

async function* parseHistory(output: AsyncIterable<Buffer>): AsyncGenerator<HistoryCommit, void> {
  for await (const { fields, changes: paths, changed } of logRecords(output, 6, maxPaths))
    yield { ...parseFields(fields), paths, changed };
}

/** Maximum number of commits between two projections; more count as a rewritten history. */
const maxGrowth = 50_000;

/** Returns whether the first-parent history of `to` contains `from`. False if one of them does not exist. */
export async function extendsMainLine(
  gitDir: string,
  from: string,
  to: string,
  signal?: AbortSignal,
): Promise<boolean> {
  if (from === to) return true;
  const range = [fullId(to), `^${fullId(from)}`];
  const args = ['rev-list', '--first-parent', '--parents', `--max-count=${maxGrowth}`, ...range, '--'];
  try {
    const lines = (await gitOutput(gitDir, args, { signal })).toString('latin1').trimEnd().split('\n');
    return lines.at(-1)?.split(' ')[1] === from;
  } catch (error) {
    if (error instanceof GitError && !signal?.aborted) return false;
    throw error;
  }
}

function parseFields([
  header = '',
  authorName = '',
  authorEmail = '',
  committerName = '',
  committerEmail = '',
  message = '',
]: readonly string[]): Omit<HistoryCommit, 'paths' | 'changed'> {
  const [id = '', time = '', parent] = header.split(' ');
  if (!isObjectId(id)) throw unreadable();
  return {
    id,
    parent: parent === undefined || parent === '' ? undefined : parent,
    time: parseCommitTime(time),
    author: { name: authorName, email: authorEmail },
    committer: { name: committerName, email: committerEmail },
    message,
  };
}

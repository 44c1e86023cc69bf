import { spawnGit } from '../../process/spawn-git.ts';
import { fullId, isObjectId } from '../commit-id.ts';
import { changedPaths } from './changed-paths.ts';
import { noLaterThanNow } from './commit-time.ts';
import { logRecords, unreadable } from './log-records.ts';

/** The message of a commit and the paths that it changed. */
export interface LoggedCommit {
  readonly id: string;
  /** Time according to the committer, in seconds since 1970; no later than now. */
  readonly time: number;
  /** Subject and body. */
  readonly message: string;
  /** Changed paths, from the root of the repository; a rename contributes both of its paths. */
  readonly paths: readonly string[];
}

/** Maximum output of Git, in bytes. Neither a message nor the number of changed paths is limited by Git. */
const maxBytes = 8 * 1024 * 1024;

/**
 * Returns the commits up to `to`, newest first: at most `max`, and fewer if their log exceeds 8 MiB. A merge counts as
 * one change with its message; the commits that it merged are left out.
 * @throws GitError, the reason of `signal`
 */
export async function readCommitLog(
  gitDir: string,
  { to, max }: { readonly to: string; readonly max: number },
  signal?: AbortSignal,
): Promise<LoggedCommit[]> {
  const { commits, whole } = await readLog(gitDir, [`--max-count=${max}`, fullId(to)], signal);
  // If Git was stopped, the last commit may lack paths.
  return (whole ? commits : commits.slice(0, -1)).map(withoutSide);
}

/**
 * Returns the commits that `to` reaches and `from` does not, in the same form; `undefined` if `to` does not contain all
 * of `from`, as after a force push, or if the log exceeds 8 MiB.
 * @throws GitError, also if `from` no longer exists; the reason of `signal`
 */
export async function readCommitsSince(
  gitDir: string,
  { from, to }: { readonly from: string; readonly to: string },
  signal?: AbortSignal,
): Promise<LoggedCommit[] | undefined> {
  const { commits, whole } = await readLog(gitDir, [`${fullId(from)}...${fullId(to)}`], signal);
  return whole && commits.every(({ side }) => side === '>') ? commits.map(withoutSide) : undefined;
}

interface SidedCommit extends LoggedCommit {
  /** `<` for a commit that only the left side reaches. */
  readonly side: string;
}

function withoutSide({ id, time, message, paths }: SidedCommit): LoggedCommit {
  return { id, time, message, paths };
}

async function readLog(
  gitDir: string,
  range: readonly string[],
  signal: AbortSignal | undefined,
): Promise<{ commits: SidedCommit[]; whole: boolean }> {
  const shape = [
    '-z',
    '--format=%x00%m%x00%H%x00%ct%x00%B',
    '--encoding=UTF-8',
    '--no-color',
    '--no-show-signature',
  ];
  const args = ['log', '--first-parent', ...shape, ...changedPaths, ...range, '--'];
  const { output, whole } = await readBounded(gitDir, args, signal);
  const commits: SidedCommit[] = [];
  for await (const { fields, changes: paths } of logRecords(nulRecords(output), 4)) {
    const [side = '', id = '', time = '', message = ''] = fields;
    if (!isObjectId(id)) throw unreadable();
    commits.push({ side, id, time: noLaterThanNow(Number(time)), message, paths });
  }
  return { commits, whole };
}

async function readBounded(
  gitDir: string,
  args: readonly string[],
  signal: AbortSignal | undefined,
): Promise<{ output: Buffer; whole: boolean }> {
  const { child, ended } = spawnGit(gitDir, args, signal);
  child.stdin.end();
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > maxBytes) break;
  }
  const whole = bytes <= maxBytes;
  if (whole) await ended;
  else child.kill();
  signal?.throwIfAborted();
  return { output: Buffer.concat(chunks), whole };
}

/** Yields the records. A record that is incomplete because Git was stopped is skipped. */
function* nulRecords(output: Buffer): Generator<Buffer, void> {
  for (let at = 0, end = output.indexOf(0); end >= 0; at = end + 1, end = output.indexOf(0, at)) {
    yield output.subarray(at, end);
  }
}

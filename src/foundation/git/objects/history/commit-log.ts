import { spawnGit } from '../../process/spawn-git.ts';
import { fullId } from '../commit-id.ts';
import { pathText } from '../path-text.ts';

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
const headerPattern = /^([<>]) ([0-9a-f]{40}(?:[0-9a-f]{24})?) (\d+)$/;

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
  readonly paths: string[];
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
    '--format=%x00%m %H %ct%x00%B',
    '--encoding=UTF-8',
    '--no-color',
    '--no-show-signature',
  ];
  const changes = ['--name-only', '--no-renames', '--no-ext-diff', '--root'];
  const args = ['log', '--first-parent', '--diff-merges=first-parent', ...shape, ...changes, ...range, '--'];
  const { output, whole } = await readBounded(gitDir, args, signal);
  return { commits: [...parseLog(output)], whole };
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

/**
 * Parses commits, each of which is an empty record, a header, the message and the paths, all terminated by NUL. No
 * path is empty, and Git prints a message only up to its first NUL, so that no message or path can imitate the start
 * of another commit.
 */
function* parseLog(output: Buffer): Generator<SidedCommit> {
  const now = Math.floor(Date.now() / 1000);
  const records = nulRecords(output);
  let commit: SidedCommit | undefined;
  for (const record of records) {
    if (record.length > 0) {
      // Git prints a line break before the first path. Any other line break is part of the path.
      commit?.paths.push(pathText(commit.paths.length === 0 ? record.subarray(1) : record));
      continue;
    }
    if (commit !== undefined) yield commit;
    const header = headerPattern.exec(nextText(records) ?? '');
    const message = nextText(records);
    if (header === null || message === undefined) return;
    const [, side = '', id = '', time = ''] = header;
    commit = { side, id, time: Math.min(Number(time), now), message, paths: [] };
  }
  if (commit !== undefined) yield commit;
}

function nextText(records: Iterator<Buffer, void>): string | undefined {
  const next = records.next();
  return next.done === true ? undefined : next.value.toString();
}

/** Yields the records. A record that is incomplete because Git was stopped is skipped. */
function* nulRecords(output: Buffer): Generator<Buffer, void> {
  for (let at = 0, end = output.indexOf(0); end >= 0; at = end + 1, end = output.indexOf(0, at)) {
    yield output.subarray(at, end);
  }
}

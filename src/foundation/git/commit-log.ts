import { isObjectId } from './commit-id.ts';
import { GitError } from './git-error.ts';
import { pathText } from './path-text.ts';
import { spawnGit } from './spawn-git.ts';

/** What a commit said and what it touched. */
export interface LoggedCommit {
  readonly id: string;
  /** Seconds since 1970, as its committer claims; no later than now. */
  readonly time: number;
  /** Subject and body. */
  readonly message: string;
  /** From the root of the repository; a rename is both of its paths. */
  readonly paths: readonly string[];
}

/** What Git may print; a message, or a commit that touches everything, has no limit of its own. */
const MOST_BYTES = 8 * 1024 * 1024;
const HEADER = /^([<>]) ([0-9a-f]{40}(?:[0-9a-f]{24})?) (\d+)$/;

/**
 * The commits up to `to` that are no merges, newest first: at most `most`, and fewer where they say more than 8 MiB.
 * @throws GitError, the reason of `signal`
 */
export async function readCommitLog(
  gitDir: string,
  { to, most }: { readonly to: string; readonly most: number },
  signal?: AbortSignal,
): Promise<LoggedCommit[]> {
  const { commits, whole } = await readLog(gitDir, [`--max-count=${most}`, checkedId(to)], signal);
  // The last one may lack paths where Git was stopped.
  return (whole ? commits : commits.slice(0, -1)).map(withoutSide);
}

/**
 * The commits up to `to` that were not there at `from`; `undefined` where `to` has lost some of `from`, as after a
 * push by force, or where they say more than 8 MiB.
 * @throws GitError, also where there is no `from` any more; the reason of `signal`
 */
export async function readCommitsSince(
  gitDir: string,
  { from, to }: { readonly from: string; readonly to: string },
  signal?: AbortSignal,
): Promise<LoggedCommit[] | undefined> {
  const { commits, whole } = await readLog(gitDir, [`${checkedId(from)}...${checkedId(to)}`], signal);
  return whole && commits.every(({ side }) => side === '>') ? commits.map(withoutSide) : undefined;
}

interface SidedCommit extends LoggedCommit {
  /** `<` for one that only the left of two commits has. */
  readonly side: string;
  readonly paths: string[];
}

function withoutSide({ id, time, message, paths }: SidedCommit): LoggedCommit {
  return { id, time, message, paths };
}

function checkedId(id: string): string {
  if (isObjectId(id)) return id;
  throw new GitError('failed', 'A commit id is expected.');
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
  const args = ['log', '--no-merges', ...shape, ...changes, ...range, '--'];
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
    if (bytes > MOST_BYTES) break;
  }
  const whole = bytes <= MOST_BYTES;
  if (whole) await ended;
  else child.kill();
  signal?.throwIfAborted();
  return { output: Buffer.concat(chunks), whole };
}

/**
 * An empty record, the header of a commit, its message, then its paths, each ended by NUL. No path is empty, and of a
 * message Git prints what stands before a NUL, so that nothing a commit says or touches passes for the start of another.
 */
function* parseLog(output: Buffer): Generator<SidedCommit> {
  const now = Math.floor(Date.now() / 1000);
  const records = nulRecords(output);
  let commit: SidedCommit | undefined;
  for (const record of records) {
    if (record.length > 0) {
      // Before the first path Git ends the line of the message; another line break there is of the path itself.
      commit?.paths.push(pathText(commit.paths.length === 0 ? record.subarray(1) : record));
      continue;
    }
    if (commit !== undefined) yield commit;
    const header = HEADER.exec(nextText(records) ?? '');
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

/** What is not ended, because Git was, is left out. */
function* nulRecords(output: Buffer): Generator<Buffer, void> {
  for (let at = 0, end = output.indexOf(0); end >= 0; at = end + 1, end = output.indexOf(0, at)) {
    yield output.subarray(at, end);
  }
}

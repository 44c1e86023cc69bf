import { given } from '../../../kernel/wire/given.ts';
import { GitError } from '../../process/git-error.ts';
import { spawnGit } from '../../process/spawn-git.ts';
import { fullId } from '../commit-id.ts';
import { pathArguments } from '../path-arguments.ts';
import { records } from '../records.ts';
import { type ChangedPaths, noPaths, readChangedPaths } from './changed-paths.ts';
import { comparedSize } from './commit-files.ts';
import { fileStatuses, logRecords } from './log-records.ts';
import { type LogRequest, logChanges, type PastChange } from './past-change.ts';
import { withinTime } from './within-time.ts';

/** A commit of a list, with what it changed. */
export interface ListedCommit extends PastChange, ChangedPaths {
  /** The path of the file that the list follows, after this commit, and the former one if this commit renamed it. */
  readonly followed?: string;
  readonly renamedFrom?: string;
}

export interface CommitList {
  /** Newest first, as Git walks the history. */
  readonly commits: readonly ListedCommit[];
  /** True if older commits were not listed because of their number. */
  readonly more: boolean;
  /** False if the time was up before the list was complete. */
  readonly whole: boolean;
}

export interface CommitListRequest {
  /** Full id of the commit whose history is listed. */
  readonly to: string;
  /** Only commits that changed this file or folder. Merges are then left out. */
  readonly path?: string | undefined;
  /** Follow `path`, which must be a file, through renames. */
  readonly follows?: boolean;
  /** Only commits that made these lines of `path` what they are; 1-based, inclusive, as of `to`. */
  readonly lines?: { readonly start: number; readonly end: number } | undefined;
  /** Texts that subject or body must all contain, in any case of ASCII letters; none has a control character. */
  readonly words?: readonly string[] | undefined;
  /** Only commits that changed how often a file has this text; without control characters. */
  readonly text?: string | undefined;
  /** Text that the name or email of the author must contain, likewise. */
  readonly author?: string | undefined;
  /** Times according to the committer, in seconds since 1970, inclusive. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  /** Number of commits that are skipped, and maximum number that are returned. */
  readonly skip: number;
  readonly max: number;
  /** Maximum number of paths of each commit; 0 reads none. */
  readonly maxPaths: number;
}

/** The share of the time in which commits are found if their paths are read in what is left. */
const walkShare = 0.9;
/** Maximum number of files of a commit that are compared to find a rename. */
const comparedFiles = '-l400';

/**
 * Lists commits. Ends after `timeoutMs` with what was read until then. @throws GitError, also if the lines do not
 * exist; the reason of `signal`
 */
export async function listCommits(
  gitDir: string,
  request: CommitListRequest,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<CommitList> {
  const { skip, max, maxPaths } = request;
  const end = performance.now() + timeoutMs;
  const listed: WalkedCommit[] = [];
  let paths: ReadonlyMap<string, ChangedPaths> = new Map();
  const isWalked = await withinTime(timeoutMs * (maxPaths > 0 ? walkShare : 1), signal, async (bounded) => {
    // Git counts commits that `--follow` leaves out as skipped, so they are skipped here.
    for await (const commit of walk(gitDir, request, bounded)) listed.push(commit);
  });
  const shown = listed.slice(skip, skip + max);
  const ids = maxPaths > 0 ? shown.map(({ id }) => id) : [];
  const whole = await withinTime(end - performance.now(), signal, async (bounded) => {
    paths = await readChangedPaths(gitDir, ids, maxPaths, bounded);
  });
  const commits = shown.map((commit) => ({ ...commit, ...(paths.get(commit.id) ?? noPaths) }));
  return { commits, more: listed.length > skip + max, whole: isWalked && whole };
}

type WalkedCommit = PastChange & Pick<ListedCommit, 'followed' | 'renamedFrom'>;

async function* walk(
  gitDir: string,
  request: CommitListRequest,
  signal: AbortSignal,
): AsyncGenerator<WalkedCommit, void> {
  // With `--follow`, Git prints the status and the paths of the file.
  for await (const { changes, ...change } of logChanges(gitDir, logRequest(request), 3, signal)) {
    const [file] = fileStatuses(changes);
    const renamedFrom = file?.status === 'R' ? file.from : undefined;
    yield { ...change, ...given({ followed: file?.path, renamedFrom }) };
    // `--follow` also follows copies. The history of a file begins with the commit that copied it.
    if (file?.status === 'C') return;
  }
}

function logRequest(request: CommitListRequest): LogRequest {
  const { to, path, lines, follows = false, skip, max } = request;
  const where = lines === undefined ? [] : [`-L${lines.start},${lines.end}:${path ?? ''}`, '--no-patch'];
  const isFollowing = follows && path !== undefined && lines === undefined;
  const following = isFollowing ? ['--follow', '-M', comparedFiles, '--name-status', '--no-ext-diff'] : [];
  const options = [`--max-count=${skip + max + 1}`, ...filtersOf(request), ...where, ...following];
  return { to, options, paths: pathArguments(path === undefined || lines !== undefined ? [] : [path]) };
}

/** Patterns are fixed texts: no regular expression of a caller reaches Git. */
function filtersOf({ path, words = [], text, author, since, until }: CommitListRequest): readonly string[] {
  if ([author ?? '', text ?? '', ...words].some((one) => /[\p{Cc}]/u.test(one)))
    throw new GitError('failed', 'A filter of a history must not contain control characters.');
  const isFiltered = words.length > 0 || author !== undefined;
  return [
    ...(path === undefined ? [] : ['--no-merges']),
    ...(isFiltered ? ['--basic-regexp', '--all-match'] : []),
    ...words.map((word) => `--grep=${inAnyCase(word)}`),
    // A file that was only moved has the text as often as before.
    ...(text === undefined ? [] : [`-S${text}`, '-M', comparedFiles, '--no-ext-diff', '--no-textconv']),
    ...(author === undefined ? [] : [`--author=${inAnyCase(author)}`]),
    // `--max-age` would end the walk at the first older commit, which may have had a wrong clock.
    ...(since === undefined ? [] : [`--since-as-filter=@${seconds(since)} +0000`]),
    ...(until === undefined ? [] : [`--min-age=${seconds(until)}`]),
  ];
}

/** Returns the pattern of a text in any case of ASCII letters. Git's option for that would also apply to `-S`. */
function inAnyCase(text: string): string {
  return text
    .replaceAll(/[.[*^$\\]/gu, String.raw`\$&`)
    .replaceAll(/[A-Za-z]/gu, (letter) => `[${letter.toLowerCase()}${letter.toUpperCase()}]`);
}

function seconds(time: number): string {
  return String(Math.max(0, Math.floor(time)));
}

/**
 * Returns whether a commit removed a file or folder, with the path to which it renamed it; undefined if it removed
 * none.
 * @throws GitError; the reason of `signal`
 */
export async function removalOf(
  gitDir: string,
  { commit, path }: { readonly commit: string; readonly path: string },
  signal: AbortSignal,
): Promise<{ readonly renamedTo?: string } | undefined> {
  const changes = ['-M', comparedFiles, '--diff-filter=RD', '--name-status', '--no-ext-diff'];
  const shape = ['-z', '--format=%x00%H', '--no-color', '--no-show-signature', '--diff-merges=first-parent'];
  const args = [...comparedSize, 'log', '--no-walk', ...shape, ...changes, fullId(commit), '--'];
  let removal: { readonly renamedTo?: string } | undefined;
  for await (const { changes: files } of logRecords(records(spawnGit(gitDir, args, signal)), 1)) {
    for (const file of fileStatuses(files)) {
      const from = file.from ?? file.path;
      if (from !== path && !from.startsWith(`${path}/`)) continue;
      const rest = from.slice(path.length);
      if (file.from !== undefined && file.path.endsWith(rest))
        return { renamedTo: file.path.slice(0, file.path.length - rest.length) };
      removal = {};
    }
  }
  return removal;
}

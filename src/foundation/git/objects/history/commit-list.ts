import { GitError } from '../../process/git-error.ts';
import { spawnGit } from '../../process/spawn-git.ts';
import { fullId } from '../commit-id.ts';
import { pathArguments } from '../path-arguments.ts';
import { pathText } from '../path-text.ts';
import { records } from '../records.ts';
import { type ChangedPaths, readChangedPaths } from './changed-paths.ts';
import { changeFormat, fieldsOfChange, maxField, type PastChange, parseChange } from './line-history.ts';

/** A commit of a list, with what it changed. */
export interface ListedCommit extends PastChange, ChangedPaths {
  /** The former path of the file that the list follows, if this commit renamed it. */
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

/** Versions of a file above this size are not compared: a history may hold one of gigabytes. */
const comparedSize = 'core.bigFileThreshold=4m';
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
  const timeout = AbortSignal.timeout(timeoutMs);
  const bounded = AbortSignal.any([signal, timeout]);
  const listed: WalkedCommit[] = [];
  let paths: ReadonlyMap<string, ChangedPaths> = new Map();
  let whole = true;
  try {
    // Git counts commits that `--follow` leaves out as skipped, so they are skipped here.
    for await (const commit of walk(gitDir, request, bounded)) listed.push(commit);
  } catch (error) {
    if (!timeout.aborted || signal.aborted) throw error;
    whole = false;
  }
  const shown = listed.slice(skip, skip + max);
  if (maxPaths > 0) {
    // It has its own time: the commits of a long walk would otherwise have no paths.
    const own = AbortSignal.timeout(timeoutMs);
    const ids = shown.map(({ id }) => id);
    paths = await readChangedPaths(gitDir, ids, maxPaths, AbortSignal.any([signal, own])).catch(
      (error: unknown) => {
        if (!own.aborted || signal.aborted) throw error;
        whole = false;
        return paths;
      },
    );
  }
  const commits = shown.map((commit) => ({
    ...commit,
    paths: paths.get(commit.id)?.paths ?? [],
    changed: paths.get(commit.id)?.changed ?? 0,
  }));
  return { commits, more: listed.length > skip + max, whole };
}

type WalkedCommit = PastChange & { readonly renamedFrom?: string };

async function* walk(
  gitDir: string,
  request: CommitListRequest,
  signal: AbortSignal,
): AsyncGenerator<WalkedCommit, void> {
  const { args, input } = logArguments(request);
  const running = spawnGit(gitDir, args, signal);
  running.child.stdin.end(input);
  let fields: string[] = [];
  let changes: string[] = [];
  let expected = 0;
  let isFirst = true;
  // A commit is an empty record, its fields, and with `--follow` the status and paths of its file, none of them empty.
  for await (const record of records(running, maxField, { cuts: true })) {
    if (expected > 0) {
      fields.push(record.toString());
      expected -= 1;
    } else if (record.length === 0) {
      if (!isFirst) yield walkedCommit(fields, changes);
      // `--follow` also follows copies. The history of a file begins with the commit that copied it.
      if (/^\n?C/.test(changes[0] ?? '')) return;
      isFirst = false;
      [fields, changes, expected] = [[], [], fieldsOfChange];
    } else if (changes.length < 3) changes.push(pathText(record));
  }
  if (!isFirst && expected === 0) yield walkedCommit(fields, changes);
}

function walkedCommit(fields: readonly string[], [status = '', from]: readonly string[]): WalkedCommit {
  const isRenamed = /^\n?R/.test(status) && from !== undefined;
  return { ...parseChange(fields), ...(isRenamed ? { renamedFrom: from } : {}) };
}

function logArguments(request: CommitListRequest): ReturnType<typeof pathArguments> {
  const { path, lines, follows = false, skip, max } = request;
  const to = fullId(request.to);
  const config = ['-c', comparedSize, '-c', `mailmap.blob=${to}:.mailmap`];
  const shape = changeFormat
    .filter((option) => option !== '--no-patch')
    .map((option) => option.replace('--format=', '--format=%x00'));
  const where = lines === undefined ? [] : [`-L${lines.start},${lines.end}:${path ?? ''}`, '--no-patch'];
  const isFollowing = follows && path !== undefined && lines === undefined;
  const following = isFollowing ? ['--follow', '-M', comparedFiles, '--name-status', '--no-ext-diff'] : [];
  const { args: paths, ...rest } = pathArguments(path === undefined || lines !== undefined ? [] : [path]);
  const options = [...shape, ...filtersOf(request), ...where, ...following];
  const args = [...config, 'log', `--max-count=${skip + max + 1}`, ...options, to, ...paths];
  return { args, ...rest };
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
 * Returns whether a commit removed a file or folder, with the path to which it renamed it; undefined if it removed none.
 * @throws GitError; the reason of `signal`
 */
export async function removalOf(
  gitDir: string,
  { commit, path }: { readonly commit: string; readonly path: string },
  signal: AbortSignal,
): Promise<{ readonly renamedTo?: string } | undefined> {
  const changes = ['-M', comparedFiles, '--diff-filter=RD', '--name-status', '--no-ext-diff'];
  const shape = ['-z', '--format=', '--no-color', '--no-show-signature', '--diff-merges=first-parent'];
  const args = ['-c', comparedSize, 'log', '--no-walk', ...shape, ...changes, fullId(commit), '--'];
  let removal: { readonly renamedTo?: string } | undefined;
  let fields: string[] = [];
  for await (const record of records(spawnGit(gitDir, args, signal))) {
    fields.push(pathText(record));
    const [status = '', from = '', to] = fields;
    if (fields.length < (/^\n?R/.test(status) ? 3 : 2)) continue;
    fields = [];
    if (from !== path && !from.startsWith(`${path}/`)) continue;
    const rest = from.slice(path.length);
    if (to?.endsWith(rest)) return { renamedTo: to.slice(0, to.length - rest.length) };
    removal = {};
  }
  return removal;
}

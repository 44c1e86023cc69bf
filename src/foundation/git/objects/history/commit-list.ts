import { GitError } from '../../process/git-error.ts';
import { spawnGit } from '../../process/spawn-git.ts';
import { isObjectId } from '../commit-id.ts';
import { pathArguments } from '../path-arguments.ts';
import { pathText } from '../path-text.ts';
import { records } from '../records.ts';
import { type ChangedPaths, readChangedPaths } from './changed-paths.ts';
import { comparedSize, renameOptions } from './commit-files.ts';
import { type FollowedCommit, followFile } from './follow-file.ts';
import { changeFormat, fieldsOfChange, maxField, type PastChange, parseChange } from './line-history.ts';

/** A commit of a list, with what it changed. */
export interface ListedCommit extends PastChange, ChangedPaths, Partial<FollowedCommit> {
  readonly id: string;
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
  /** Follow `path`, which must be a file or gone, through renames. */
  readonly follows?: boolean;
  /** True if `to` has no such path. Branches that never had it are then no reason to leave out those that had. */
  readonly isGone?: boolean;
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

/** Maximum number of commits of a followed file that are filtered. */
const maxFollowed = 10_000;

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
  const { to, path, follows = false, lines, skip, max, maxPaths } = request;
  if (!isObjectId(to)) throw new GitError('failed', 'A commit must be given by its full id.');
  let whole = true;
  // Each step has its own time: what one read until then would otherwise be lost to the next.
  const inTime = async (step: (bounded: AbortSignal) => Promise<void>): Promise<void> => {
    const timeout = AbortSignal.timeout(timeoutMs);
    try {
      await step(AbortSignal.any([signal, timeout]));
    } catch (error) {
      if (!timeout.aborted || signal.aborted) throw error;
      whole = false;
    }
  };
  const filters = filtersOf(request);
  const isFollowing = follows && path !== undefined && lines === undefined;
  const followed: FollowedCommit[] = [];
  if (isFollowing) {
    const file = { to, path, isGone: request.isGone === true };
    const most = filters.length > 0 ? maxFollowed : skip + max + 1;
    await inTime(async (bounded) => {
      for await (const commit of followFile(gitDir, file, bounded)) if (followed.push(commit) >= most) break;
    });
    if (filters.length > 0 && followed.length >= most) whole = false;
  }
  const listed: PastChange[] = [];
  if (!isFollowing || followed.length > 0)
    await inTime(async (bounded) => {
      const { args, input } = logArguments(request, filters, followed);
      const running = spawnGit(gitDir, args, bounded);
      running.child.stdin.end(input);
      let fields: string[] = [];
      for await (const record of records(running, maxField, { cuts: true })) {
        fields.push(record.toString());
        if (fields.length < fieldsOfChange) continue;
        listed.push(parseChange(fields));
        fields = [];
      }
    });
  const shown = listed.slice(skip, skip + max);
  let paths: ReadonlyMap<string, ChangedPaths> = new Map();
  if (maxPaths > 0)
    await inTime(async (bounded) => {
      const ids = shown.map(({ id }) => id);
      paths = await readChangedPaths(gitDir, ids, maxPaths, bounded);
    });
  const followedById = new Map(followed.map((commit) => [commit.id, commit]));
  const commits = shown.map((commit) => ({
    ...commit,
    ...followedById.get(commit.id),
    paths: paths.get(commit.id)?.paths ?? [],
    changed: paths.get(commit.id)?.changed ?? 0,
  }));
  return { commits, more: listed.length > skip + max, whole };
}

function logArguments(
  { path, lines, to, skip, max }: CommitListRequest,
  filters: readonly string[],
  followed: readonly FollowedCommit[],
): ReturnType<typeof pathArguments> {
  const config = [...comparedSize, '-c', `mailmap.blob=${to}:.mailmap`];
  const where = lines === undefined ? [] : [`-L${lines.start},${lines.end}:${path ?? ''}`, '--no-patch'];
  const which = followed.length > 0 ? ['--no-walk=unsorted', ...followed.map(({ id }) => id)] : [to];
  const own = path === undefined || lines !== undefined ? [] : [path];
  const { args: paths, ...rest } = pathArguments([...new Set([...own, ...followed.map((one) => one.path)])]);
  const merges = path === undefined ? [] : ['--no-merges'];
  const options = [`--max-count=${skip + max + 1}`, ...merges, ...changeFormat, ...filters, ...where];
  return { args: [...config, 'log', ...options, ...which, ...paths], ...rest };
}

/** Patterns are fixed texts: no regular expression of a caller reaches Git. */
function filtersOf({ words = [], text, author, since, until }: CommitListRequest): readonly string[] {
  if ([author ?? '', text ?? '', ...words].some((one) => /[\p{Cc}]/u.test(one)))
    throw new GitError('failed', 'A filter of a history must not contain control characters.');
  const isFiltered = words.length > 0 || author !== undefined;
  return [
    ...(isFiltered ? ['--basic-regexp', '--all-match'] : []),
    ...words.map((word) => `--grep=${inAnyCase(word)}`),
    // A file that was only moved has the text as often as before.
    ...(text === undefined ? [] : [`-S${text}`, ...renameOptions, '--no-ext-diff', '--no-textconv']),
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
  if (!isObjectId(commit)) throw new GitError('failed', 'A commit must be given by its full id.');
  const changes = [...renameOptions, '--diff-filter=RD', '--name-status', '--no-ext-diff'];
  const shape = ['-z', '--format=', '--no-color', '--no-show-signature', '--diff-merges=first-parent'];
  const args = [...comparedSize, 'log', '--no-walk', ...shape, ...changes, commit, '--'];
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

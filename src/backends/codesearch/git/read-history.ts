import { shallowCommits } from '../../../foundation/git/bundle/write-bundle.ts';
import { entryName } from '../../../foundation/git/objects/found-path.ts';
import { readDiffPage } from '../../../foundation/git/objects/history/commit-diff.ts';
import { type CommitFile, readCommitFiles } from '../../../foundation/git/objects/history/commit-files.ts';
import { readCommit } from '../../../foundation/git/objects/history/commit-history.ts';
import { listCommits, removalOf } from '../../../foundation/git/objects/history/commit-list.ts';
import { readParents } from '../../../foundation/git/objects/history/commit-parents.ts';
import { searchMessages } from '../../../foundation/git/objects/history/message-search.ts';
import { reachedCommits } from '../../../foundation/git/objects/history/reached-commits.ts';
import { findPath } from '../../../foundation/git/objects/objects.ts';
import type { ReaderPool } from '../../../foundation/git/objects/reader-pool.ts';
import { GitError } from '../../../foundation/git/process/git-error.ts';
import {
  type DiffRequest,
  diffLimits,
  type HistoryRequest,
  historyLimits,
  type LineSpan,
  type SourceCommit,
  type SourceDiff,
  type SourceHistory,
} from '../port.ts';

/** A mirror and a commit of it that a followed branch reaches. */
export interface Location {
  readonly gitDir: string;
  readonly commit: string;
}

/** Time for the commits of a path without their files, and for a search for words, in milliseconds. */
const quickMs = 2_000;
/** Time for any other list of commits, and for a page of a difference, in milliseconds. */
const historyTimeoutMs = 5_000;
/** Maximum number of files of a commit in which those of a path are looked for. */
const maxSearchedFiles = 10_000;

/** Returns the reached commits with an id, of which `at` has the head. */
export async function findCommits(
  readers: ReaderPool,
  { gitDir, commit: head }: Location,
  prefix: string,
  signal: AbortSignal,
): Promise<readonly SourceCommit[]> {
  const reader = {
    resolveCommit: (id: string) => readers.use(gitDir, signal, (open) => open.resolveCommit(id)),
  };
  const found: SourceCommit[] = [];
  for (const id of await reachedCommits({ gitDir, head, reader }, prefix, signal)) {
    const { parent: _parent, ...commit } = await readCommit(gitDir, id, signal);
    found.push(commit);
  }
  return found;
}

/** Returns the history of a location; undefined if its lines do not exist, and for what is no word. */
export async function readHistory(
  { gitDir, commit }: Location,
  request: HistoryRequest,
  signal: AbortSignal,
): Promise<SourceHistory | undefined> {
  try {
    const { said: words, since, until } = request;
    const max = Math.min(request.max, historyLimits.said);
    const history = words
      ? await searchMessages(gitDir, { to: commit, words, max, since, until }, quickMs, signal)
      : await listHistory({ gitDir, commit }, request, signal);
    const lacksOlder = !history.more && (await shallowCommits(gitDir)).length > 0;
    return { commit, ...history, ...(lacksOlder && { lacksOlder }) };
  } catch (error) {
    const isAsked = request.lines !== undefined || request.said !== undefined;
    if (isAsked && error instanceof GitError && !signal.aborted) return undefined;
    throw error;
  }
}

async function listHistory(
  { gitDir, commit }: Location,
  request: HistoryRequest,
  signal: AbortSignal,
): Promise<Omit<SourceHistory, 'commit'>> {
  const { path, lines, skip, max, files } = request;
  if (!isPossible(commit, path)) return { commits: [], more: false, whole: true };
  const found = path === undefined ? undefined : await findPath(gitDir, commit, path, signal);
  const asked = {
    ...request,
    to: commit,
    lines: spanOf(lines),
    follows: files && found?.type !== 'tree',
    skip: Math.min(skip, historyLimits.skip),
    max: Math.min(max, historyLimits.commits),
    maxPaths: files ? historyLimits.files : 0,
  };
  const timeoutMs = files || path === undefined ? historyTimeoutMs : quickMs;
  const list = await listCommits(gitDir, asked, timeoutMs, signal);
  const [newest] = list.commits;
  const isGone = path !== undefined && found === undefined && skip === 0 && newest !== undefined;
  const removal = isGone ? await removalOf(gitDir, { commit: newest.id, path }, signal) : undefined;
  return { ...list, ...(removal && { gone: { commit: newest!.id, ...removal } }) };
}

/** Returns a page of what a commit changed. */
export async function readDiff(
  { gitDir, commit: id }: Location,
  { path, lines, offset, maxBytes }: DiffRequest,
  signal: AbortSignal,
): Promise<SourceDiff> {
  const parents = await readParents(gitDir, id, signal);
  if (!isPossible(id, path)) return { commit: id, parents, files: [], continues: [], text: '', cut: false };
  const needsFiles = offset === 0 || path !== undefined;
  const max = path === undefined ? diffLimits.files : maxSearchedFiles;
  const listed = needsFiles ? await readCommitFiles(gitDir, { id, max }, historyTimeoutMs, signal) : [];
  const inside = path === undefined ? listed : listed.filter((file) => isInside(file, path));
  const files = inside.slice(0, diffLimits.files);
  // Without its former path, a renamed file would look like a new one.
  const paths = path === undefined ? [] : [...new Set([path, ...files.flatMap(pathsOf)])];
  const page = await readDiffPage(
    gitDir,
    { id, paths, lines: spanOf(lines), offset, maxBytes: Math.min(maxBytes, diffLimits.bytes) },
    historyTimeoutMs,
    signal,
  );
  return { commit: id, parents, files, ...page };
}

/** Returns whether a tree may have such a path: Git refuses others, such as those with `..`. */
function isPossible(commit: string, path: string | undefined): boolean {
  return path === undefined || (path !== '' && !path.includes('\0') && entryName(commit, path) !== undefined);
}

function pathsOf({ path, renamedFrom }: CommitFile): readonly string[] {
  return renamedFrom === undefined ? [path] : [path, renamedFrom];
}

function isInside(file: CommitFile, path: string): boolean {
  return pathsOf(file).some((one) => one === path || one.startsWith(`${path}/`));
}

function spanOf(lines: LineSpan | undefined): { readonly start: number; readonly end: number } | undefined {
  return lines && { start: lines.startLine, end: lines.endLine };
}

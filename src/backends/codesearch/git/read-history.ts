import { shallowCommits } from '../../../foundation/git/bundle/write-bundle.ts';
import { entryName, hasControl } from '../../../foundation/git/objects/found-path.ts';
import { readDiffPage } from '../../../foundation/git/objects/history/commit-diff.ts';
import { type CommitFile, readCommitFiles } from '../../../foundation/git/objects/history/commit-files.ts';
import { readCommit } from '../../../foundation/git/objects/history/commit-history.ts';
import { listCommits, removalOf } from '../../../foundation/git/objects/history/commit-list.ts';
import { readParents } from '../../../foundation/git/objects/history/commit-parents.ts';
import { readChanges } from '../../../foundation/git/objects/history/line-history.ts';
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
  maxPast,
  maxSaid,
  type PastRequest,
  type SourceCommit,
  type SourceDiff,
  type SourceHistory,
  type SourcePast,
} from '../port.ts';

/** A mirror and a commit of it that a followed branch reaches. */
export interface Location {
  readonly gitDir: string;
  readonly commit: string;
}

/** Time for reading the past of a path, in milliseconds. Most take a tenth of a second. */
const pastTimeoutMs = 2_000;
/** Time for a list of commits, and for a page of a difference, in milliseconds. */
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

/** Lines or a path that do not exist, what is no word, and a mirror that lacks old contents, have no past. */
export async function readPast(
  { gitDir, commit }: Location,
  { path, lines, words }: PastRequest,
  signal: AbortSignal,
): Promise<SourcePast | undefined> {
  if ((path === '' && words === undefined) || hasControl(path)) return undefined;
  try {
    if (words !== undefined) {
      return await searchMessages(gitDir, { to: commit, words, max: maxSaid }, pastTimeoutMs, signal);
    }
    const request = { to: commit, path, lines: spanOf(lines), max: maxPast };
    return await readChanges(gitDir, request, pastTimeoutMs, signal);
  } catch (error) {
    if (error instanceof GitError && !signal.aborted) return undefined;
    throw error;
  }
}

/** Returns the history of a location; undefined if its lines do not exist. */
export async function readHistory(
  { gitDir, commit }: Location,
  request: HistoryRequest,
  signal: AbortSignal,
): Promise<SourceHistory | undefined> {
  const { path, lines, skip, max, files } = request;
  if (!isPossible(commit, path)) return { commit, commits: [], more: false, whole: true };
  const found = path === undefined ? undefined : await findPath(gitDir, commit, path, signal);
  const asked = {
    ...request,
    to: commit,
    lines: spanOf(lines),
    follows: found?.type !== 'tree',
    skip: Math.min(skip, historyLimits.skip),
    max: Math.min(max, historyLimits.commits),
    maxPaths: files ? historyLimits.files : 0,
  };
  try {
    const list = await listCommits(gitDir, asked, historyTimeoutMs, signal);
    const isFirst = skip === 0 && found === undefined;
    const gone = isFirst ? await goneBy(gitDir, list.commits[0]?.id, path, signal) : undefined;
    const lacksOlder = !list.more && (await shallowCommits(gitDir)).length > 0;
    return { commit, ...list, ...(gone && { gone }), ...(lacksOlder && { lacksOlder }) };
  } catch (error) {
    if (lines !== undefined && error instanceof GitError && !signal.aborted) return undefined;
    throw error;
  }
}

/** Returns how the newest commit of a path removed or renamed it. */
async function goneBy(
  gitDir: string,
  commit: string | undefined,
  path: string | undefined,
  signal: AbortSignal,
): Promise<SourceHistory['gone']> {
  if (commit === undefined || path === undefined) return undefined;
  const removal = await removalOf(gitDir, { commit, path }, signal);
  return removal && { commit, ...removal };
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

import {
  maxSourceBytes,
  type ReadFileRequest,
  type SourceFile,
  type SourceReader,
  type SourceTree,
  type TreeEntry,
} from '../../backends/codesearch/port.ts';
import type { Queries } from '../../foundation/db/database.ts';
import { isCommitPrefix } from '../../foundation/git/commit-id.ts';
import { NotFound, TooLarge } from '../../foundation/kernel/errors.ts';
import { invalidField } from '../../foundation/kernel/invalid-field.ts';
import type { OrgScope } from '../../foundation/kernel/org-scope.ts';
import { findSearchable } from './find-repository.ts';
import { parseLineRange, sliceLines } from './line-range.ts';
import { parentOf, sourcePath } from './source-path.ts';

export interface ReadSourceDeps {
  readonly sources: SourceReader;
  readonly queries: Queries;
}

export interface SourceRequest {
  /** Id or name. */
  readonly repository: string;
  readonly path: string;
  /** Default: the indexed commit. */
  readonly commit?: string;
}

/** Contract, section 3, `GET /repositories/:id/file`. */
export interface SourceText {
  /** Repository name. */
  readonly repository: string;
  readonly commit: string;
  readonly path: string;
  readonly language: string;
  readonly startLine: number;
  readonly endLine: number;
  readonly totalLines: number;
  readonly content: string;
  /** Set when something was left out: what, and what to ask for next. */
  readonly notice?: string;
}

/** Contract, section 3, `GET /repositories/:id/tree`. */
export interface SourceListing {
  readonly repository: string;
  readonly commit: string;
  readonly path: string;
  readonly entries: readonly TreeEntry[];
}

/**
 * Lines of one file at a commit: those of `lines` (`10-20`, `10`, `10-`), at most 500 and 24 KB a call.
 * @throws NotFound naming the nearest folder there is, TooLarge over 1 MiB, InvalidInput for bytes that are no text.
 */
export async function readSource(
  deps: ReadSourceDeps,
  scope: OrgScope,
  input: SourceRequest & { readonly lines?: string },
  signal: AbortSignal,
): Promise<SourceText> {
  const range = input.lines === undefined ? undefined : parseLineRange(input.lines);
  const { name, request } = await resolve(deps.queries, scope, input);
  const file = request.path === '' ? undefined : await deps.sources.readFile(scope, request, signal);
  if (file === undefined) throw await absent(deps.sources, scope, name, request, signal);
  const { content: text, commit, path, language } = file;
  if (text === undefined) throw unreadable(file);
  const { lineCut, ...slice } = sliceLines(text, range ?? { first: 1, last: undefined });
  const notice = noticeOf({ ...slice, lineCut }, range?.last);
  return { repository: name, commit, path, language, ...slice, ...(notice === undefined ? {} : { notice }) };
}

/** The entries directly under a folder at a commit. @throws NotFound naming the nearest folder there is. */
export async function listSource(
  deps: ReadSourceDeps,
  scope: OrgScope,
  input: Omit<SourceRequest, 'path'> & { readonly path?: string },
  signal: AbortSignal,
): Promise<SourceListing> {
  const { name, request } = await resolve(deps.queries, scope, { ...input, path: input.path ?? '' });
  const tree = await deps.sources.listTree(scope, request, signal);
  if (tree === undefined) throw await absent(deps.sources, scope, name, request, signal);
  return { repository: name, commit: tree.commit, path: request.path, entries: tree.entries };
}

async function resolve(
  queries: Queries,
  scope: OrgScope,
  input: SourceRequest,
): Promise<{ name: string; request: ReadFileRequest }> {
  const path = sourcePath(input.path);
  const commit = input.commit === undefined ? {} : { commit: commitId(input.commit) };
  const { id, name } = await findSearchable(queries, scope, input.repository);
  return { name, request: { repository: id, path, ...commit } };
}

/** Ids only: a branch name would be a moving target, and no text of the caller may reach Git as a revision. */
function commitId(text: string): string {
  const id = text.toLowerCase();
  if (isCommitPrefix(id)) return id;
  throw invalidField(
    'commit',
    'must be a commit id of 7 to 64 hexadecimal digits; leave it out for the indexed commit',
  );
}

function noticeOf(
  slice: { startLine: number; endLine: number; totalLines: number; lineCut: boolean },
  wantedLast: number | undefined,
): string | undefined {
  const { startLine, endLine, totalLines } = slice;
  const cut = slice.lineCut ? `Line ${startLine} is longer than 24 KB; this is its beginning. ` : '';
  const rest =
    endLine < Math.min(wantedLast ?? totalLines, totalLines)
      ? `Lines ${startLine}-${endLine} of ${totalLines}; ask for lines=${endLine + 1}- to read on.`
      : '';
  return cut + rest === '' ? undefined : (cut + rest).trimEnd();
}

function unreadable({ path, bytes }: SourceFile): Error {
  return bytes > maxSourceBytes
    ? new TooLarge(`\`${path}\` has ${bytes} bytes; files up to ${maxSourceBytes} bytes can be read here.`)
    : invalidField(
        'path',
        'names a binary file',
        `\`${path}\` is a binary file of ${bytes} bytes; there is no text to read.`,
      );
}

/** Says what stands in the place of what was asked for: a folder, a link, or the nearest folder that exists. */
async function absent(
  sources: SourceReader,
  scope: OrgScope,
  name: string,
  request: ReadFileRequest,
  signal: AbortSignal,
): Promise<NotFound> {
  const where = `in \`${name}\`${request.commit === undefined ? '' : ` at ${request.commit}`}`;
  const folders = foldersOf(request.path);
  const unknown = new NotFound(`\`${request.path}\` is not ${where}; list_tree shows what is.`);
  if (folders.length > mostFoldersSearched) return unknown;
  const late = AbortSignal.timeout(longestFolderSearch);
  const bounded = AbortSignal.any([signal, late]);
  const list = (path: string) => sources.listTree(scope, { ...request, path }, bounded);
  let nearest: Awaited<ReturnType<typeof nearestFolder>>;
  try {
    nearest = await nearestFolder(folders, list);
  } catch (error) {
    if (late.aborted && !signal.aborted) return unknown;
    throw error;
  }
  if (nearest !== undefined) return new NotFound(explain(request.path, nearest.path, where, nearest.entries));
  return new NotFound(
    request.commit === undefined
      ? `The files of \`${name}\` cannot be read now; its next sync restores them.`
      : `Commit ${request.commit} is not in \`${name}\`; leave it out for the indexed commit.`,
  );
}

/** A path that nobody has by mistake: it is not worth the look-ups. */
const mostFoldersSearched = 65;
/** Milliseconds: to name the nearest folder is a courtesy, which listings of wide folders could make dear. */
const longestFolderSearch = 2_000;

/** The root, each folder above the path, and the path itself. */
function foldersOf(path: string): readonly string[] {
  const folders = [path];
  for (let folder = path; folder !== ''; folders.unshift(folder)) folder = parentOf(folder);
  return folders;
}

/** By halves, since a folder that exists lies in folders that do: seven look-ups at the most, not one a folder. */
async function nearestFolder(
  folders: readonly string[],
  list: (path: string) => Promise<SourceTree | undefined>,
): Promise<{ readonly path: string; readonly entries: readonly TreeEntry[] } | undefined> {
  let nearest: { readonly path: string; readonly entries: readonly TreeEntry[] } | undefined;
  let [from, to] = [0, folders.length];
  while (from < to) {
    const middle = Math.floor((from + to) / 2);
    const path = folders[middle] ?? '';
    const tree = await list(path);
    if (tree === undefined) {
      to = middle;
    } else {
      nearest = { path, entries: tree.entries };
      from = middle + 1;
    }
  }
  return nearest;
}

function explain(path: string, folder: string, where: string, entries: readonly TreeEntry[]): string {
  if (path === folder) return `\`${path || '/'}\` ${where} is a folder; list_tree lists it.`;
  const entry = entries.find((candidate) => candidate.path === path);
  const shown = folder === '' ? 'the root' : `\`${folder}\``;
  if (entry === undefined)
    return `\`${path}\` is not ${where}; the nearest folder is ${shown}, see list_tree.`;
  if (entry.kind === 'file') return `\`${path}\` ${where} is a file; read_file reads it.`;
  const kind = entry.kind === 'symlink' ? 'symbolic link' : 'submodule';
  return `\`${path}\` ${where} is a ${kind}, which is not followed; list_tree shows what lies beside it.`;
}

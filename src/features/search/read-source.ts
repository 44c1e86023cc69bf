import {
  maxSourceBytes,
  type ReadFileRequest,
  type SourceFile,
  type SourceReader,
  type SourceTree,
  type TreeEntry,
} from '../../backends/codesearch/port.ts';
import type { Queries } from '../../foundation/db/database.ts';
import { checkedCommit } from '../../foundation/git/objects/commit-id.ts';
import { NotFound, TooLarge } from '../../foundation/kernel/errors.ts';
import type { OrgScope } from '../../foundation/kernel/org-scope.ts';
import { invalidField } from '../../foundation/kernel/wire/invalid-field.ts';
import type { LineRange } from '../../foundation/kernel/wire/line-range.ts';
import { findSearchable } from './find-repository.ts';
import { sliceLines } from './slice-lines.ts';
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

/** A file of a repository at a commit, as REST returns it. */
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
  /** Set if lines are missing: which ones, and how to request them. */
  readonly notice?: string;
}

/** A folder of a repository at a commit, as REST returns it. */
export interface SourceListing {
  readonly repository: string;
  readonly commit: string;
  readonly path: string;
  readonly entries: readonly TreeEntry[];
}

/**
 * Reads lines of one file at a commit: those of `lines`, at most 500 lines and 24 KB per call.
 * @throws NotFound naming the nearest existing folder, TooLarge over 1 MiB, InvalidInput for a binary file.
 */
export async function readSource(
  deps: ReadSourceDeps,
  scope: OrgScope,
  input: SourceRequest & { readonly lines?: LineRange },
  signal: AbortSignal,
): Promise<SourceText> {
  return (await readSourceFile(deps, scope, input, signal)).part;
}

/** Reads lines of one file, as `readSource` does, and returns the whole text too. @throws as `readSource` */
export async function readSourceFile(
  deps: ReadSourceDeps,
  scope: OrgScope,
  input: SourceRequest & { readonly lines?: LineRange },
  signal: AbortSignal,
): Promise<{ readonly part: SourceText; readonly text: string }> {
  const { name, request } = await resolveSource(deps.queries, scope, input);
  const file = request.path === '' ? undefined : await deps.sources.readFile(scope, request, signal);
  if (file === undefined) throw await notFound(deps.sources, scope, name, request, signal);
  const { content: text, commit, path, language } = file;
  if (text === undefined) throw unreadable(file);
  const { lineTruncated, ...slice } = sliceLines(text, input.lines ?? { first: 1, last: undefined });
  const notice = noticeOf({ ...slice, lineTruncated }, input.lines?.last);
  const where = { repository: name, commit, path, language };
  return { part: { ...where, ...slice, ...(notice === undefined ? {} : { notice }) }, text };
}

/** Lists the entries of a folder at a commit. @throws NotFound naming the nearest existing folder. */
export async function listSource(
  deps: ReadSourceDeps,
  scope: OrgScope,
  input: Omit<SourceRequest, 'path'> & { readonly path?: string },
  signal: AbortSignal,
): Promise<SourceListing> {
  const { name, request } = await resolveSource(deps.queries, scope, { ...input, path: input.path ?? '' });
  const tree = await deps.sources.listTree(scope, request, signal);
  if (tree === undefined) throw await notFound(deps.sources, scope, name, request, signal);
  return { repository: name, commit: tree.commit, path: request.path, entries: tree.entries };
}

/**
 * Returns the request for a file or folder, and the name of its repository.
 * @throws NotFound for an unknown repository, InvalidInput for a path or commit that cannot be one
 */
export async function resolveSource(
  queries: Queries,
  scope: OrgScope,
  input: SourceRequest,
): Promise<{ name: string; request: ReadFileRequest }> {
  const path = sourcePath(input.path);
  const commit = input.commit === undefined ? {} : { commit: checkedCommit(input.commit) };
  const { id, name } = await findSearchable(queries, scope, input.repository);
  return { name, request: { repository: id, path, ...commit } };
}

function noticeOf(
  slice: { startLine: number; endLine: number; totalLines: number; lineTruncated: boolean },
  wantedLast: number | undefined,
): string | undefined {
  const { startLine, endLine, totalLines } = slice;
  const cut = slice.lineTruncated ? `Line ${startLine} is longer than 24 KB; this is its beginning. ` : '';
  const rest =
    endLine < Math.min(wantedLast ?? totalLines, totalLines)
      ? `Lines ${startLine}-${endLine} of ${totalLines}; request lines=${endLine + 1}- to continue.`
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

/** Returns the error for a path that ends with lines, `src/a.ts:10` or `src/a.ts#L10-L20`; `undefined` for any other. */
function linesInPath(name: string, { path, commit }: ReadFileRequest): NotFound | undefined {
  const [mark, lines = ''] = /(?::|#L)(\d{1,9}(?:-L?\d{1,9})?)$/.exec(path) ?? [];
  if (mark === undefined) return undefined;
  const apart = `\`${path.slice(0, -mark.length)}\` as the path and \`${lines.replace('L', '')}\` as the lines`;
  return new NotFound(`\`${path}\` is not ${repositoryAt(name, commit)}; pass ${apart}.`);
}

function repositoryAt(name: string, commit: string | undefined): string {
  return `in \`${name}\`${commit === undefined ? '' : ` at ${commit}`}`;
}

/**
 * Creates the error for a missing file or folder. It names what exists instead: a folder, a link or the nearest
 * folder.
 */
async function notFound(
  sources: SourceReader,
  scope: OrgScope,
  name: string,
  request: ReadFileRequest,
  signal: AbortSignal,
): Promise<NotFound> {
  const ofLines = linesInPath(name, request);
  if (ofLines !== undefined) return ofLines;
  const where = repositoryAt(name, request.commit);
  const folders = foldersOf(request.path);
  const unknown = new NotFound(
    `\`${request.path}\` is not ${where}; list a folder above it to see what exists.`,
  );
  if (folders.length > maxFoldersSearched) return unknown;
  const timeout = AbortSignal.timeout(folderSearchMs);
  const bounded = AbortSignal.any([signal, timeout]);
  const list = (path: string) => sources.listTree(scope, { ...request, path }, bounded);
  let nearest: Awaited<ReturnType<typeof nearestFolder>>;
  try {
    nearest = await nearestFolder(folders, list);
  } catch (error) {
    if (timeout.aborted && !signal.aborted) return unknown;
    throw error;
  }
  if (nearest !== undefined) return new NotFound(explain(request.path, nearest.path, where, nearest.entries));
  return new NotFound(
    request.commit === undefined
      ? `The files of \`${name}\` cannot be read now; its next sync restores them.`
      : `Commit ${request.commit} is not in \`${name}\`; omit it to use the indexed commit.`,
  );
}

/** Maximum depth of a path whose nearest folder is searched. Deeper paths are not typing errors. */
const maxFoldersSearched = 65;
/** Time-out of the search for the nearest folder, in milliseconds: listings of wide folders are slow. */
const folderSearchMs = 2_000;

/** Returns the root, each folder above the path, and the path itself. */
function foldersOf(path: string): readonly string[] {
  const folders = [path];
  for (let folder = path; folder !== ''; folders.unshift(folder)) folder = parentOf(folder);
  return folders;
}

/** Finds the deepest existing folder by binary search: at most seven look-ups instead of one per folder. */
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
  if (path === folder) return `\`${path || '/'}\` ${where} is a folder: list it instead.`;
  const entry = entries.find((candidate) => candidate.path === path);
  const place = folder === '' ? 'the root' : `\`${folder}\``;
  if (entry === undefined)
    return `\`${path}\` is not ${where}; the nearest folder is ${place}: list it to see what exists.`;
  if (entry.kind === 'file') return `\`${path}\` ${where} is a file: read it instead.`;
  const kind = entry.kind === 'symlink' ? 'symbolic link' : 'submodule';
  return `\`${path}\` ${where} is a ${kind}, which is not followed; list its folder to see what exists.`;
}

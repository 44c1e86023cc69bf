import type { BlobReader } from '../../../foundation/git/objects/blob-reader.ts';
import { isCommitPrefix } from '../../../foundation/git/objects/commit-id.ts';
import { type FoundPath, hasControl } from '../../../foundation/git/objects/found-path.ts';
import { openReachCheck, type ReachCheck } from '../../../foundation/git/objects/history/reached-commits.ts';
import { findPath, listFolder, type TreeRecord } from '../../../foundation/git/objects/objects.ts';
import { pathBytes } from '../../../foundation/git/objects/path-text.ts';
import { openReaderPool, type ReaderPool } from '../../../foundation/git/objects/reader-pool.ts';
import { parseTree } from '../../../foundation/git/objects/tree-entries.ts';
import { GitError } from '../../../foundation/git/process/git-error.ts';
import { Unavailable } from '../../../foundation/kernel/errors.ts';
import type { RepositoryId } from '../../../foundation/kernel/ids.ts';
import { openKeyedSemaphore } from '../../../foundation/kernel/limits/semaphore.ts';
import type { DataScope } from '../../../foundation/kernel/org-scope.ts';
import { pathExists } from '../../../foundation/kernel/path-exists.ts';
import { languageOf } from '../../languages/port.ts';
import {
  type HistoryRequest,
  maxSourceBytes,
  type ReadFileRequest,
  type SourceFile,
  type SourceReader,
  type SourceTree,
  type TreeEntry,
} from '../port.ts';
import { textOf } from '../text-file.ts';
import { findCommits, type Location, readDiff, readHistory } from './read-history.ts';
import { type FileResults, shareLookUps } from './shared-look-ups.ts';

export interface GitSourceReaderDeps {
  /** Returns the path of the bare mirror of a repository of this organization. */
  readonly mirrorDir: (scope: DataScope, repository: RepositoryId) => string;
  /**
   * Returns the indexed commit; `undefined` for a repository that the organization does not have or that is not
   * indexed, which is then not read.
   */
  readonly indexedCommit: (scope: DataScope, repository: RepositoryId) => Promise<string | undefined>;
}

/** Maximum number of concurrent look-ups. Each uses one Git process at a time: more would compete for the processors. */
const maxLookUps = 16;
/**
 * Maximum number of concurrent look-ups of one organization, so that its listings of wide folders do not block
 * others.
 */
const maxOfOrganization = 4;
/** Maximum number of concurrent look-ups of one caller, so that slow histories of one leave a look-up to the others. */
const maxOfCaller = 3;
/**
 * Maximum number of concurrent searches for a text in the changes of a history, in total and of one organization. They
 * read every change and take up to the time-out, so they use no look-up that others wait for.
 */
const maxTextSearches = { atOnce: 4, ofOrganization: 2 } as const;
/**
 * Time-out of a look-up including its wait, in milliseconds. A listing of 60,000 files takes half a second of
 * processor time.
 */
const lookUpTimeoutMs = 20_000;
/**
 * Maximum number of open readers, and time after which one is replaced, in milliseconds. Starting a process takes
 * milliseconds of the event loop, because the system copies the page tables of this process.
 */
const maxReaders = 64;
const readerLifetimeMs = 300_000;

/**
 * Opens a `SourceReader` that reads the bare mirrors. Files are read by one Git process for each mirror, which stays
 * open for five minutes, because a question to the advisor reads up to 40 files. A listing has its own process. At
 * most 16 look-ups run at once, 4 of one organization and 3 of one caller, and beside them 4 searches for a text in the
 * changes of a history, 2 of one organization. The others wait, all within a time-out of 20 seconds.
 * @throws Unavailable `lookup_timed_out`
 */
export function openGitSourceReader(
  deps: GitSourceReaderDeps,
  timeoutMs: number = lookUpTimeoutMs,
): SourceReader {
  // A look-up that waits for its caller takes no place of the organization.
  const ofCaller = openKeyedSemaphore(Number.POSITIVE_INFINITY, maxOfCaller);
  const lookUps = openKeyedSemaphore(maxLookUps, maxOfOrganization);
  const textSearches = openKeyedSemaphore(maxTextSearches.atOnce, maxTextSearches.ofOrganization);
  const readers = openReaderPool(maxReaders, readerLifetimeMs);
  const isReached = openReachCheck();
  const lookUp = async <T>(
    scope: DataScope,
    request: Pick<HistoryRequest, 'repository' | 'commit' | 'text'>,
    signal: AbortSignal,
    read: (at: Location, signal: AbortSignal) => Promise<T | undefined>,
  ): Promise<T | undefined> => {
    const timeout = AbortSignal.timeout(timeoutMs);
    const bounded = AbortSignal.any([signal, timeout]);
    const work = async (): Promise<T | undefined> => {
      const at = await locate({ ...deps, readers, isReached }, scope, request, bounded);
      return at && read(at, bounded);
    };
    try {
      const { organizationId, callerId } = scope;
      if (request.text !== undefined) return await textSearches(organizationId, work, bounded);
      const take = (): Promise<T | undefined> => lookUps(organizationId, work, bounded);
      return await ofCaller(`${organizationId} ${callerId ?? ''}`, take, bounded);
    } catch (error) {
      if (!timeout.aborted || signal.aborted) throw error;
      readers.discard(deps.mirrorDir(scope, request.repository));
      throw timedOut(timeoutMs, error);
    }
  };
  return {
    readFile: shareLookUps(
      async (scope, { paths, ...request }, signal) =>
        (await lookUp(scope, request, signal, (at, bounded) => readFiles(readers, at, paths, bounded))) ?? [],
    ),
    listTree: (scope, request, signal) =>
      lookUp(scope, request, signal, (at, bounded) => listTree(at, request.path, bounded)),
    findCommits: async (scope, { repository, commit }, signal) =>
      (await lookUp(scope, { repository }, signal, (at, bounded) =>
        findCommits(readers, at, commit, bounded),
      )) ?? [],
    readHistory: (scope, request, signal) =>
      lookUp(scope, request, signal, (at, bounded) => readHistory(at, request, bounded)),
    readDiff: (scope, request, signal) =>
      lookUp(scope, request, signal, (at, bounded) => readDiff(at, request, bounded)),
    close: () => readers.close(),
  };
}

function timedOut(milliseconds: number, cause: unknown): Unavailable {
  return new Unavailable(
    'lookup_timed_out',
    `Reading files and folders took longer than ${milliseconds / 1_000} seconds because too many are requested at once. Retry in a moment with fewer requests at once.`,
    { cause, retryAfter: 5 },
  );
}

/**
 * Checks the organization first, for every commit: a repository id alone gives no access. Only commit ids are passed
 * to Git, never a branch, an option or another revision expression. A commit that no followed branch reaches is not
 * found.
 */
async function locate(
  deps: GitSourceReaderDeps & { readonly readers: ReaderPool; readonly isReached: ReachCheck },
  scope: DataScope,
  { repository, commit }: Pick<ReadFileRequest, 'repository' | 'commit'>,
  signal: AbortSignal,
): Promise<Location | undefined> {
  const indexed = await deps.indexedCommit(scope, repository);
  if (indexed === undefined) return undefined;
  const gitDir = deps.mirrorDir(scope, repository);
  if (!(await pathExists(gitDir))) return undefined;
  if (commit === undefined || commit === indexed) return { gitDir, commit: indexed };
  if (!isCommitPrefix(commit)) return undefined;
  const resolved = await deps.readers.use(gitDir, signal, (reader) => reader.resolveCommit(commit));
  if (resolved === undefined) return undefined;
  const mirror = { gitDir, head: indexed };
  const isReadable = resolved === indexed || (await deps.isReached(mirror, resolved, signal));
  return isReadable ? { gitDir, commit: resolved } : undefined;
}

/** Reads files together, or one after the other if one of them is damaged: that ends the process which reads them. */
async function readFiles(
  readers: ReaderPool,
  at: Location,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<FileResults> {
  const read = (path: string) => (reader: BlobReader) => readFile(reader, at, path, signal);
  try {
    const together = (reader: BlobReader) => Promise.all(paths.map((path) => read(path)(reader)));
    const files = await readers.use(at.gitDir, signal, together);
    return files.map((value) => ({ status: 'fulfilled', value }));
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    signal.throwIfAborted();
  }
  const results: PromiseSettledResult<SourceFile | undefined>[] = [];
  for (const path of paths)
    results.push(...(await Promise.allSettled([readers.use(at.gitDir, signal, read(path))])));
  return results;
}

async function readFile(
  reader: BlobReader,
  at: Location,
  path: string,
  signal: AbortSignal,
): Promise<SourceFile | undefined> {
  const found = path === '' ? undefined : await find(reader, at, path, signal);
  if (found?.type !== 'blob') return undefined;
  const file = { commit: at.commit, path, language: languageOf(path), bytes: found.bytes };
  if (found.bytes > maxSourceBytes) return { ...file, content: undefined };
  const content = await reader.read(found.oid, maxSourceBytes);
  if (typeof content === 'string') return undefined;
  if (mayBeLink(content) && (await isLink(reader, at, path, signal))) return undefined;
  const text = textOf(content)?.toString('utf8');
  return { ...file, language: languageOf(path, text), content: text };
}

/** Finds an entry. A path with control characters, which the open reader cannot be asked for, has its own process. */
function find(
  reader: BlobReader,
  { gitDir, commit }: Location,
  path: string,
  signal: AbortSignal,
): Promise<FoundPath | undefined> {
  return hasControl(path) ? findPath(gitDir, commit, path, signal) : reader.find(commit, path);
}

async function listTree(
  { gitDir, commit }: Location,
  path: string,
  signal: AbortSignal,
): Promise<SourceTree | undefined> {
  const records = await listFolder(gitDir, commit, path, { signal });
  return records && { commit, entries: records.map(entryOf).toSorted(byKindAndPath) };
}

/**
 * Returns whether a blob may be a symbolic link, which Git stores as a blob that contains a path. Only then is the
 * folder read to find out.
 */
function mayBeLink(content: Buffer): boolean {
  return content.length > 0 && content.length <= 4096 && !content.includes(0x0a);
}

/**
 * Maximum size of a folder that is read to recognize a link, in bytes: about 250,000 names. In a larger one, whatever
 * may be a link is treated as one.
 */
const maxFolderBytes = 16 * 1024 ** 2;

async function isLink(reader: BlobReader, at: Location, path: string, signal: AbortSignal): Promise<boolean> {
  const slash = path.lastIndexOf('/');
  const folder = await find(reader, at, path.slice(0, Math.max(0, slash)), signal);
  if (folder?.type !== 'tree') return false;
  const tree = await reader.readTree(folder.oid, maxFolderBytes);
  if (typeof tree === 'string') return true;
  const name = pathBytes(path.slice(slash + 1)).toString('latin1');
  return parseTree(tree, folder.oid).get(name)?.mode === '120000';
}

function entryOf({ path, mode, type, bytes }: TreeRecord): TreeEntry {
  if (type === 'tree') return { path, kind: 'directory', bytes: 0 };
  if (type === 'commit') return { path, kind: 'submodule', bytes: 0 };
  return { path, kind: mode === '120000' ? 'symlink' : 'file', bytes };
}

function byKindAndPath(a: TreeEntry, b: TreeEntry): number {
  const folders = Number(b.kind === 'directory') - Number(a.kind === 'directory');
  return folders || (a.path < b.path ? -1 : a.path > b.path ? 1 : 0);
}

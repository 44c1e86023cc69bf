import { isCommitPrefix } from '../../../foundation/git/commit-id.ts';
import {
  findPath,
  listFolder,
  readPath,
  resolveCommit,
  type TreeRecord,
} from '../../../foundation/git/objects.ts';
import { Unavailable } from '../../../foundation/kernel/errors.ts';
import type { RepositoryId } from '../../../foundation/kernel/ids.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import { pathExists } from '../../../foundation/kernel/path-exists.ts';
import { languageOf } from '../language.ts';
import {
  maxSourceBytes,
  type ReadFileRequest,
  type SourceFile,
  type SourceReader,
  type SourceTree,
  type TreeEntry,
} from '../port.ts';
import { isBinary, withoutMark } from '../text-file.ts';
import { openOwnersTurns } from '../turns.ts';

export interface GitSourceReaderDeps {
  /** The bare mirror of a repository of this organization. */
  readonly mirrorDir: (scope: OrgScope, repository: RepositoryId) => string;
  /** `undefined` for a repository that the organization does not have or that is not indexed: it is then not read. */
  readonly indexedCommit: (scope: OrgScope, repository: RepositoryId) => Promise<string | undefined>;
}

/** Look-ups at once, each with one Git process at a time: more would only wait for the same processors. */
const mostLookUps = 16;
/** Of one organization, so that its listings of wide folders leave the others their turn. */
const mostOfOrganization = 4;
/** Milliseconds from asking to the answer; a listing of 60,000 files takes half a second of a processor. */
const longestLookUp = 20_000;

/**
 * `SourceReader` over the bare mirrors, one short-lived Git process a look-up: nothing stays open that a mirror's
 * replacement or removal would have to wait for. However many ask, 16 look-ups run at once, 4 of one organization, and
 * the others wait, for 20 seconds at the most.
 * @throws Unavailable `lookup_timed_out`
 */
export function openGitSourceReader(
  deps: GitSourceReaderDeps,
  longest: number = longestLookUp,
): SourceReader {
  const take = openOwnersTurns(mostLookUps, mostOfOrganization);
  const lookUp = async <T>(
    scope: OrgScope,
    request: ReadFileRequest,
    signal: AbortSignal,
    read: (at: Location, signal: AbortSignal) => Promise<T | undefined>,
  ): Promise<T | undefined> => {
    const late = AbortSignal.timeout(longest);
    const bounded = AbortSignal.any([signal, late]);
    const work = async (): Promise<T | undefined> => {
      const at = await locate(deps, scope, request);
      return at && read(at, bounded);
    };
    try {
      return await take(scope.organizationId, work, bounded);
    } catch (error) {
      if (late.aborted && !signal.aborted) throw timedOut(longest, error);
      throw error;
    }
  };
  return {
    readFile: (scope, request, signal) =>
      lookUp(scope, request, signal, (at, bounded) => readFile(at, request.path, bounded)),
    listTree: (scope, request, signal) =>
      lookUp(scope, request, signal, (at, bounded) => listTree(at, request.path, bounded)),
    close: async () => undefined,
  };
}

function timedOut(milliseconds: number, cause: unknown): Unavailable {
  return new Unavailable(
    'lookup_timed_out',
    `Files and folders could not be read within ${milliseconds / 1_000} seconds: too many are asked for at once. Ask again in a moment, for fewer at once.`,
    { cause, retryAfter: 5 },
  );
}

interface Location {
  readonly gitDir: string;
  readonly commit: string;
}

/**
 * The organization is asked first, whatever commit is named: a repository id alone opens nothing. Only ids of commits
 * go on to Git, never a branch, an option or another revision expression.
 */
async function locate(
  deps: GitSourceReaderDeps,
  scope: OrgScope,
  { repository, commit }: ReadFileRequest,
): Promise<Location | undefined> {
  const indexed = await deps.indexedCommit(scope, repository);
  if (indexed === undefined) return undefined;
  const gitDir = deps.mirrorDir(scope, repository);
  if (!(await pathExists(gitDir))) return undefined;
  if (commit === undefined || commit === indexed) return { gitDir, commit: indexed };
  if (!isCommitPrefix(commit)) return undefined;
  const whole = await resolveCommit(gitDir, commit);
  return whole === undefined ? undefined : { gitDir, commit: whole };
}

async function readFile(
  { gitDir, commit }: Location,
  path: string,
  signal: AbortSignal,
): Promise<SourceFile | undefined> {
  if (path === '') return undefined;
  const content = await readPath(gitDir, commit, path, maxSourceBytes, signal);
  if (content === undefined) return undefined;
  const file = { commit, path, language: languageOf(path) };
  if (content === 'too_large') {
    const found = await findPath(gitDir, commit, path, signal);
    return { ...file, bytes: found?.bytes ?? 0, content: undefined };
  }
  if (mayBeLink(content) && (await isLink({ gitDir, commit }, path, signal))) return undefined;
  const text = isBinary(content) ? undefined : withoutMark(content).toString('utf8');
  return { ...file, bytes: content.length, content: text };
}

async function listTree(
  { gitDir, commit }: Location,
  path: string,
  signal: AbortSignal,
): Promise<SourceTree | undefined> {
  const records = await listFolder(gitDir, commit, path, { signal });
  return records && { commit, entries: records.map(entryOf).toSorted(byKindAndPath) };
}

/** To Git a link is a blob that holds a path; only then is the folder looked up for what it is. */
function mayBeLink(content: Buffer): boolean {
  return content.length > 0 && content.length <= 4096 && !content.includes(0x0a);
}

async function isLink({ gitDir, commit }: Location, path: string, signal: AbortSignal): Promise<boolean> {
  const folder = path.slice(0, Math.max(0, path.lastIndexOf('/')));
  const records = await listFolder(gitDir, commit, folder, { signal, sizes: false });
  return records?.find((record) => record.path === path)?.mode === '120000';
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

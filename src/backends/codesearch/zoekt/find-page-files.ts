import type { DataScope } from '../../../foundation/kernel/org-scope.ts';
import { matchesBranchGlob } from '../branch-glob.ts';
import type { SearchRequest } from '../port.ts';
import { repositoryOf } from './repository-name.ts';
import type { ZoektClient, ZoektFile, ZoektResult, ZoektSearch } from './zoekt-client.ts';

/**
 * Extra time for the HTTP request beyond Zoekt's own time limit, in milliseconds, so that Zoekt can return partial
 * results.
 */
const slackMs = 500;
/**
 * Number of files requested beyond the page: one shows that there is another page, and Zoekt ranks one higher for its
 * extension.
 */
const extraFiles = 16;
/**
 * Maximum number of matching lines in one response. Zoekt returns every matching line of a file; more of them would
 * block this process.
 */
const maxLines = 50_000;

/** The inputs of one search. */
export interface Search {
  readonly scope: DataScope;
  readonly request: SearchRequest;
  readonly query: ZoektSearch;
  readonly branches: readonly string[];
  readonly client: ZoektClient;
  readonly signal: AbortSignal;
}

export interface FoundFiles {
  readonly found: ZoektResult;
  /** Best first, limited to this organization and the requested branches. */
  readonly files: readonly ZoektFile[];
  /** True if `files` contains every match. */
  readonly complete: boolean;
  /** True if the page is incomplete because the files contain too many lines. */
  readonly cut: boolean;
}

/**
 * Finds the best files of a page. Zoekt truncates its results anywhere among files with the same score, so more files
 * are requested until the page ends before that point.
 */
export async function findPageFiles(search: Search, started: number): Promise<FoundFiles> {
  const { request } = search;
  const needed = (request.offset ?? 0) + request.limit;
  for (let max = needed + extraFiles; ; max *= 2) {
    const leftMs = Math.max(1, Math.round(request.deadlineMs - (performance.now() - started)));
    const answer = await findBestFiles(search, max, leftMs);
    if (answer.complete || endsBeforeTruncation(answer, needed)) return { ...answer, cut: false };
    if (answer.cut || performance.now() - started >= request.deadlineMs) return answer;
  }
}

interface BestFiles extends FoundFiles {
  /** Files with this score or less may be missing. */
  readonly cutScore: number;
}

async function findBestFiles(search: Search, max: number, leftMs: number): Promise<BestFiles> {
  const { scope, request, branches, client, signal } = search;
  const options = {
    MaxDocDisplayCount: max,
    MaxMatchDisplayCount: maxLines,
    NumContextLines: request.contextLines,
    MaxWallTime: leftMs * 1_000_000,
  };
  const found = await client.search({ ...search.query, options }, leftMs + slackMs, signal);
  const cut = countLines(found) >= maxLines;
  const returned = found.Files ?? [];
  // Zoekt then returns only a part of the last file's lines.
  const usable = cut ? returned.slice(0, Math.max(1, returned.length - 1)) : returned;
  const allowed = request.repositories && new Set(request.repositories.map(({ id }) => id));
  return {
    found,
    files: usable.filter((file) => isAllowed(file, scope, allowed, branches)).toSorted(byScore),
    complete: !cut && returned.length < max,
    cut,
    cutScore: usable.reduce((lowest, file) => Math.min(lowest, file.Score), Number.POSITIVE_INFINITY),
  };
}

function endsBeforeTruncation({ files, cutScore }: BestFiles, needed: number): boolean {
  const last = files[needed - 1];
  return files.length > needed && last !== undefined && last.Score > cutScore;
}

function countLines({ Files }: ZoektResult): number {
  return (Files ?? []).reduce((sum, { LineMatches }) => sum + (LineMatches?.length ?? 0), 0);
}

/**
 * Returns whether a file may be returned. Repository numbers may be wrong or outdated; only the name identifies the
 * owner.
 */
function isAllowed(
  file: ZoektFile,
  scope: DataScope,
  allowed: ReadonlySet<string> | undefined,
  branches: readonly string[],
): boolean {
  const repository = repositoryOf(scope, file.Repository);
  if (repository === undefined || allowed?.has(repository) === false) return false;
  return branches.every(
    (pattern) => pattern === 'HEAD' || file.Branches.some((name) => matchesBranchGlob(pattern, name)),
  );
}

function byScore(a: ZoektFile, b: ZoektFile): number {
  if (a.Score !== b.Score) return b.Score - a.Score;
  if (a.Repository !== b.Repository) return a.Repository < b.Repository ? -1 : 1;
  return a.FileName < b.FileName ? -1 : Number(a.FileName > b.FileName);
}

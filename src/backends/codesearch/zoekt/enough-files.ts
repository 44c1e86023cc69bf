import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import { matchesBranchGlob } from '../branch-glob.ts';
import type { SearchRequest } from '../port.ts';
import { repositoryOf } from './repository-name.ts';
import type { ZoektClient, ZoektFile, ZoektResult, ZoektSearch } from './zoekt-client.ts';

/** A search is given a little more than Zoekt itself, which then says what it has. */
const SLACK_MS = 500;
/** Files asked for beyond the page: one tells that there is another page, one Zoekt moves up for its extension. */
const BEYOND = 16;
/** Zoekt gives every matching line of a file. More of them in one answer would keep this process from all others. */
const MOST_LINES = 50_000;

/** Everything of Zoekt's that one search asks. */
export interface Search {
  readonly scope: OrgScope;
  readonly request: SearchRequest;
  readonly query: ZoektSearch;
  readonly branches: readonly string[];
  readonly client: ZoektClient;
  readonly signal: AbortSignal;
}

export interface FoundFiles {
  readonly found: ZoektResult;
  /** Best first, of this organization alone, and on the branches asked for. */
  readonly files: readonly ZoektFile[];
  /** These are all that match. */
  readonly complete: boolean;
  /** The page is not full although more would match: they hold too many lines. */
  readonly cut: boolean;
}

/**
 * The best files, as many as the page needs. Zoekt cuts its answer anywhere among files of one score, so it is asked for
 * more until the page ends before such a place.
 */
export async function enoughFiles(search: Search, started: number): Promise<FoundFiles> {
  const { request } = search;
  const needed = (request.offset ?? 0) + request.limit;
  for (let most = needed + BEYOND; ; most *= 2) {
    const leftMs = Math.max(1, Math.round(request.deadlineMs - (performance.now() - started)));
    const answer = await bestFiles(search, most, leftMs);
    if (answer.complete || endsBeforeCut(answer, needed)) return { ...answer, cut: false };
    if (answer.cut || performance.now() - started >= request.deadlineMs) return answer;
  }
}

interface BestFiles extends FoundFiles {
  /** Of this score, and below it, there are files that were not given. */
  readonly cutScore: number;
}

async function bestFiles(search: Search, most: number, leftMs: number): Promise<BestFiles> {
  const { scope, request, branches, client, signal } = search;
  const options = {
    MaxDocDisplayCount: most,
    MaxMatchDisplayCount: MOST_LINES,
    NumContextLines: request.contextLines,
    MaxWallTime: leftMs * 1_000_000,
  };
  const found = await client.search({ ...search.query, options }, leftMs + SLACK_MS, signal);
  const cut = countLines(found) >= MOST_LINES;
  const given = found.Files ?? [];
  // Of the last file Zoekt then shows a part of its lines.
  const whole = cut ? given.slice(0, Math.max(1, given.length - 1)) : given;
  const allowed = request.repositories && new Set(request.repositories.map(({ id }) => id));
  return {
    found,
    files: whole.filter((file) => isAllowed(file, scope, allowed, branches)).toSorted(byScore),
    complete: !cut && given.length < most,
    cut,
    cutScore: whole.reduce((lowest, file) => Math.min(lowest, file.Score), Number.POSITIVE_INFINITY),
  };
}

function endsBeforeCut({ files, cutScore }: BestFiles, needed: number): boolean {
  const last = files[needed - 1];
  return files.length > needed && last !== undefined && last.Score > cutScore;
}

function countLines({ Files }: ZoektResult): number {
  return (Files ?? []).reduce((sum, { LineMatches }) => sum + (LineMatches?.length ?? 0), 0);
}

/** A number may be wrong or old; the name says whose a file is. */
function isAllowed(
  file: ZoektFile,
  scope: OrgScope,
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

import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import { matchesBranchGlob } from '../branch-glob.ts';
import { languageOf } from '../language.ts';
import type { FileMatch, SearchRequest, SearchResult } from '../port.ts';
import { withinBudget } from '../shown-budget.ts';
import { enoughFiles, type Search } from './enough-files.ts';
import { type FirstLines, firstLines, keyOf } from './first-lines.ts';
import { lineMatches } from './line-matches.ts';
import { searchedPart } from './query/branch-names.ts';
import { translateQuery } from './query/translate-query.ts';
import { and, printQuery, simplify } from './query/zoekt-query.ts';
import { indexName, repositoryOf } from './repository-name.ts';
import { INDEXED, rangeOf } from './search-range.ts';
import { refuseSymbols } from './symbols-missing.ts';
import type { ListedRepository, ZoektClient, ZoektFile, ZoektResult } from './zoekt-client.ts';

/** What is left of the deadline, and at least this, goes to the lines of files that were found by path. */
const FIRST_LINES_MS = 200;

/** Files that match, best first: by Zoekt's score, and by repository and path where that is the same. */
export async function searchFiles(
  client: ZoektClient,
  scope: OrgScope,
  request: SearchRequest,
  signal: AbortSignal,
): Promise<SearchResult> {
  const started = performance.now();
  const range = rangeOf(scope, request.repositories);
  const { query, branches, asksSymbols } = translateQuery(
    request.query,
    range.repositories,
    ({ id }) => indexName(scope, id) ?? '',
  );
  const asked = simplify(and(range.query, query, INDEXED));
  if (asked.kind === 'constant') return nothing(started);
  const printed = { query: printQuery(asked), ...range.numbers };
  const search: Search = { scope, request, query: { ...printed, options: {} }, branches, client, signal };
  const { found, files, complete, cut } = await enoughFiles(search, started);
  if (files.length === 0 && asksSymbols) await refuseSymbols(client, scope, signal);
  const offset = request.offset ?? 0;
  const next = offset + request.limit;
  const elapsed = performance.now() - started;
  const page = files.slice(offset, next);
  const [commits, first] = await Promise.all([
    commitsOf(search),
    firstLines(
      client,
      page,
      {
        ...range.numbers,
        query: and(range.query, { kind: 'branch', text: searchedPart(branches[0] ?? 'HEAD') }),
      },
      Math.max(FIRST_LINES_MS, request.deadlineMs - elapsed),
      signal,
    ),
  ]);
  return {
    files: withinBudget(page.map((file) => fileMatch(search, file, commits, first))),
    stats: {
      candidates: found.FilesConsidered,
      scanned: found.FilesLoaded,
      matched: complete ? files.length : Math.max(files.length, found.FileCount),
      milliseconds: elapsed,
    },
    ...incompleteness(found, cut, elapsed, request.deadlineMs),
    ...(files.length > next ? { nextOffset: next } : {}),
  };
}

/** The commits of every branch, where others than the first are asked for: of a file Zoekt names its first alone. */
async function commitsOf({
  branches,
  client,
  scope,
  signal,
}: Search): Promise<ReadonlyMap<string, ListedRepository>> {
  if (branches.every((pattern) => pattern === 'HEAD')) return new Map();
  const { query } = rangeOf(scope, undefined);
  const listed = await client.list(printQuery(query), 5000, signal);
  return new Map(listed.map((repository) => [repository.Repository.Name, repository]));
}

function fileMatch(
  { scope, request, branches }: Search,
  file: ZoektFile,
  commits: ReadonlyMap<string, ListedRepository>,
  first: FirstLines,
): FileMatch {
  const { matches, moreMatches } = lineMatches(file, request.matchesPerFile, first.get(keyOf(file)));
  const named = branches.find((pattern) => pattern !== 'HEAD');
  const branch =
    (named === undefined ? undefined : file.Branches.find((name) => matchesBranchGlob(named, name))) ??
    file.Branches[0] ??
    'HEAD';
  const heads = commits.get(file.Repository)?.Repository.Branches ?? [];
  const commit = heads.find(({ Name }) => Name === branch)?.Version ?? file.Version;
  return {
    repository: repositoryOf(scope, file.Repository)!,
    branch,
    commit,
    path: file.FileName,
    language: languageOf(file.FileName),
    score: file.Score,
    reasons: reasonsOf(file),
    matches,
    moreMatches,
  };
}

/** What Zoekt's score rests on, as far as its answer shows it. */
function reasonsOf({ LineMatches }: ZoektFile): string[] {
  const lines = LineMatches ?? [];
  const defined = lines.flatMap((line) =>
    (line.LineFragments ?? []).flatMap(({ SymbolInfo }) => SymbolInfo?.Sym ?? []),
  );
  return [
    ...new Set(defined.slice(0, 3).map((name) => `defines ${name}`)),
    ...(lines.some((line) => line.FileName) ? ['path'] : []),
  ];
}

function incompleteness(
  { Crashes, FilesSkipped, ShardsSkipped }: ZoektResult,
  cut: boolean,
  elapsed: number,
  deadlineMs: number,
): Pick<SearchResult, 'incomplete'> {
  if (Crashes > 0) return { incomplete: 'damaged' };
  if (!cut && FilesSkipped === 0 && ShardsSkipped === 0) return {};
  return { incomplete: elapsed >= deadlineMs ? 'deadline' : 'limit' };
}

function nothing(started: number): SearchResult {
  const milliseconds = performance.now() - started;
  return { files: [], stats: { candidates: 0, scanned: 0, matched: 0, milliseconds } };
}

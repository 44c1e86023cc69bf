import type { DataScope } from '../../../foundation/kernel/org-scope.ts';
import { languageOf } from '../../languages/port.ts';
import { matchesBranchGlob } from '../branch-glob.ts';
import { limitMatches } from '../match-budget.ts';
import {
  type FileMatch,
  LineCollector,
  type ListedLines,
  type SearchRequest,
  type SearchResult,
} from '../port.ts';
import { findPageFiles, type Search } from './find-page-files.ts';
import { type FirstLines, firstLines, keyOf } from './first-lines.ts';
import { lineMatches, lineNumbers } from './line-matches.ts';
import { searchedPart } from './query/branch-names.ts';
import { translateQuery } from './query/translate-query.ts';
import { and, printQuery, simplify } from './query/zoekt-query.ts';
import { indexName, repositoryOf } from './repository-name.ts';
import { indexed, rangeOf } from './search-range.ts';
import { refuseSymbols } from './symbols-missing.ts';
import type { ListedRepository, ZoektClient, ZoektFile, ZoektResult } from './zoekt-client.ts';

/**
 * Minimum time for reading the first lines of files that matched by path, in milliseconds. The rest of the deadline
 * is used if it is longer.
 */
const firstLinesMs = 200;

/** Returns the matching files, best first: by Zoekt's score, then by repository and path. */
export async function searchFiles(
  client: ZoektClient,
  scope: DataScope,
  request: SearchRequest,
  signal: AbortSignal,
): Promise<SearchResult> {
  const started = performance.now();
  const range = rangeOf(scope, request.repositories);
  const { query, branches, usesSymbols } = translateQuery(
    request.query,
    range.repositories,
    ({ id }) => indexName(scope, id) ?? '',
  );
  const simplified = simplify(and(range.query, query, indexed));
  if (simplified.kind === 'constant') return emptyResult(started);
  const printed = { query: printQuery(simplified), ...range.numbers };
  const search: Search = { scope, request, query: { ...printed, options: {} }, branches, client, signal };
  const { found, files, complete, cut } = await findPageFiles(search, started);
  if (files.length === 0 && usesSymbols) await refuseSymbols(client, scope, signal);
  const { offset = 0, everyLine = false } = request;
  const next = everyLine ? files.length : offset + request.limit;
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
      Math.max(firstLinesMs, request.deadlineMs - elapsed),
      signal,
    ),
  ]);
  const matches = page.map((file) => fileMatch(search, file, commits, first));
  return {
    ...(everyLine
      ? { files: [], listed: linesOf(matches, page, request.limit) }
      : { files: limitMatches(matches) }),
    stats: {
      candidates: found.FilesConsidered,
      scanned: found.FilesLoaded,
      matched: complete ? files.length : Math.max(files.length, found.FileCount),
      milliseconds: elapsed,
    },
    ...incompleteness(found, cut || (everyLine && !complete), elapsed, request.deadlineMs),
    ...(files.length > next ? { nextOffset: next } : {}),
  };
}

/** Returns the lines of files, of which `places` has the places. */
function linesOf(places: readonly FileMatch[], files: readonly ZoektFile[], limit: number): ListedLines {
  const collector = new LineCollector(limit);
  for (const [index, file] of files.entries()) {
    const lines = lineNumbers(file);
    if (lines.length > 0) collector.add(lines, () => places[index]!);
  }
  return collector.result();
}

/**
 * Reads the commits of all branches if the query names one besides HEAD, because Zoekt returns only the commit of a
 * file's first branch.
 */
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
  const page = { skip: request.skipMatches ?? 0, max: request.matchesPerFile };
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
    ...lineMatches(file, page, first.get(keyOf(file))),
  };
}

/** Returns the reasons for Zoekt's score that its response reveals. */
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

function emptyResult(started: number): SearchResult {
  const milliseconds = performance.now() - started;
  return { files: [], stats: { candidates: 0, scanned: 0, matched: 0, milliseconds } };
}

import type {
  CodeSearch,
  FileMatch,
  Incomplete,
  SearchResult,
  SearchStats,
} from '../../backends/codesearch/port.ts';
import type { Queries } from '../../foundation/db/database.ts';
import type { RepositoryId } from '../../foundation/kernel/ids.ts';
import type { OrgScope } from '../../foundation/kernel/org-scope.ts';
import { checkRange } from '../../foundation/kernel/wire/invalid-field.ts';
import { type Page, pageLimits } from '../../foundation/kernel/wire/page.ts';
import { listNamedRepositories } from '../repositories/named-repositories.ts';
import { checkBranches } from './check-branches.ts';
import { checkRepositories } from './check-repositories.ts';
import { selectRepositories } from './find-repository.ts';
import { parseQuery } from './query/parse-query.ts';
import { possibleRepositories } from './query/possible-repositories.ts';
import { fingerprintOf, pastResults, readCursor, writeCursor } from './search-cursor.ts';

export interface SearchCodeInput {
  readonly q: string;
  /** Files per page, at most 200. Default: 50. */
  readonly limit?: number;
  readonly cursor?: string;
  /** Lines before and after a match, at most 10. Default: 0. */
  readonly context?: number;
  /** Maximum number of matching lines per file, at most 1,000. Default: 5. */
  readonly matches?: number;
  /** Names or ids of the repositories to search. Default: all. */
  readonly repositories?: readonly string[];
}

export interface CodeSearchItem extends Omit<FileMatch, 'repository'> {
  /** Repository name. */
  readonly repository: string;
  readonly repositoryId: RepositoryId;
}

/** A page of search results (contract, section 3, `GET /search`). */
export interface CodeSearchPage extends Page<CodeSearchItem> {
  readonly stats: SearchStats;
  readonly incomplete?: Incomplete;
}

/**
 * Time-out of a search, in milliseconds. A search that times out returns the matches found so far and sets
 * `incomplete`.
 */
const deadlineMs = 2000;
const emptyPage: CodeSearchPage = {
  items: [],
  stats: { candidates: 0, scanned: 0, matched: 0, milliseconds: 0 },
  nextCursor: null,
};

/**
 * Searches the organization's indexed code, best files first. Takes at most 2 s. The cursor of a page of one file (one
 * was asked for, or only one matches) continues in that file while more of its lines match.
 * @throws InvalidInput for a bad query, an unknown repository or a branch that is not indexed (with its column), limit,
 * cursor or repository name.
 */
export async function searchCode(
  deps: { readonly codeSearch: CodeSearch; readonly queries: Queries },
  scope: OrgScope,
  input: SearchCodeInput,
  signal: AbortSignal,
): Promise<CodeSearchPage> {
  const { limit, context, matches } = sizesOf(input);
  const query = parseQuery(input.q);
  const fingerprint = fingerprintOf(scope, [input.q, input.repositories ?? []]);
  const { offset, skip } = readPlace(input.cursor, fingerprint);
  const all = await listNamedRepositories(deps.queries, scope);
  const repositories = selectRepositories(all, input.repositories);
  await checkRepositories(deps.queries, scope, input.q, all);
  if (repositories.length === 0) return emptyPage;
  await checkBranches(deps.queries, scope, { text: input.q, query }, repositories);
  const result = await deps.codeSearch.search(
    scope,
    {
      query,
      repositories: possibleRepositories(query, repositories),
      limit: skip > 0 ? 1 : limit,
      offset,
      matchesPerFile: matches,
      skipMatches: skip,
      contextLines: context,
      deadlineMs,
    },
    signal,
  );
  if (isPastResults(result, { offset, skip })) throw pastResults();
  const names = new Map(repositories.map(({ id, name }) => [id, name]));
  const { stats } = result;
  const next = nextPlace(result, { offset, skip }, limit);
  const nextCursor = next === undefined ? null : writePlace(next, fingerprint);
  // There are more files, but no cursor reaches them.
  const isLastPage = next !== undefined && nextCursor === null;
  const incomplete = result.incomplete ?? (isLastPage ? 'limit' : undefined);
  return {
    items: result.files.flatMap((file) => itemOf(file, names.get(file.repository))),
    stats,
    ...(incomplete === undefined ? {} : { incomplete }),
    nextCursor,
  };
}

function sizesOf({ limit = pageLimits.default, context = 0, matches = 5 }: SearchCodeInput) {
  checkRange('limit', limit, 1, pageLimits.max);
  checkRange('context', context, 0, 10);
  checkRange('matches', matches, 1, 1000);
  return { limit, context, matches };
}

/** The beginning of a page: after so many files, and after so many matching lines of the next one. */
interface SearchPlace {
  readonly offset: number;
  readonly skip: number;
}

/** Returns where the next page begins: in the same file if the page has only one, and more of its lines match. */
function nextPlace(
  { files, stats, nextOffset }: SearchResult,
  { offset, skip }: SearchPlace,
  limit: number,
): SearchPlace | undefined {
  const [file] = files;
  const isOfFile = skip > 0 || limit === 1 || stats.matched === 1;
  if (isOfFile && file !== undefined && file.moreMatches > 0 && file.matches.length > 0)
    return { offset, skip: skip + file.matches.length };
  return nextOffset === undefined ? undefined : { offset: nextOffset, skip: 0 };
}

/** Returns whether a page has nothing although the search was complete. */
function isPastResults(
  { files: [file], stats, incomplete }: SearchResult,
  { offset, skip }: SearchPlace,
): boolean {
  if (incomplete !== undefined || offset + skip === 0) return false;
  return file === undefined ? stats.matched <= offset : skip > 0 && file.matches.length === 0;
}

function readPlace(cursor: string | undefined, fingerprint: string): SearchPlace {
  const [files, lines = '0'] = cursor?.split('.', 2) ?? [];
  const isLines = /^\d{1,9}$/.test(lines);
  return { offset: readCursor(isLines ? files : '', fingerprint), skip: Number(lines) };
}

function writePlace({ offset, skip }: SearchPlace, fingerprint: string): string | null {
  const files = writeCursor(offset, fingerprint);
  return files === null || skip === 0 ? files : `${files}.${skip}`;
}

/** Converts a file. Drops it if its repository was removed meanwhile or was not requested: it has no name then. */
function itemOf(file: FileMatch, repository: string | undefined): CodeSearchItem[] {
  return repository === undefined ? [] : [{ ...file, repository, repositoryId: file.repository }];
}

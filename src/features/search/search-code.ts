import type { CodeSearch, FileMatch, Incomplete, SearchStats } from '../../backends/codesearch/port.ts';
import type { Queries } from '../../foundation/db/database.ts';
import type { RepositoryId } from '../../foundation/kernel/ids.ts';
import { checkRange } from '../../foundation/kernel/invalid-field.ts';
import type { OrgScope } from '../../foundation/kernel/org-scope.ts';
import { type Page, pageLimits } from '../../foundation/kernel/page.ts';
import { listSearchableRepositories } from '../repositories/repository-store.ts';
import { checkBranches } from './check-branches.ts';
import { selectRepositories } from './find-repository.ts';
import { parseQuery } from './query/parse-query.ts';
import { fingerprintOf, readCursor, writeCursor } from './search-cursor.ts';

export interface SearchCodeInput {
  readonly q: string;
  /** Files a page; default 50, at most 200. */
  readonly limit?: number;
  readonly cursor?: string;
  /** Lines before and after a match; default 0, at most 10. */
  readonly context?: number;
  /** Default 5, at most 100. */
  readonly matchesPerFile?: number;
  /** Only these, by name or id. */
  readonly repositories?: readonly string[];
}

export interface CodeSearchItem extends Omit<FileMatch, 'repository'> {
  /** Repository name. */
  readonly repository: string;
  readonly repositoryId: RepositoryId;
}

/** Contract, section 3, `GET /search`. */
export interface CodeSearchPage extends Page<CodeSearchItem> {
  readonly stats: SearchStats;
  readonly incomplete?: Incomplete;
}

/** Milliseconds; a search that takes longer answers with what it found, and says `incomplete`. */
const deadlineMs = 2000;
const nothing: CodeSearchPage = {
  items: [],
  stats: { candidates: 0, scanned: 0, matched: 0, milliseconds: 0 },
  nextCursor: null,
};

/**
 * Searches the organization's indexed code, best files first; at most 2 s.
 * @throws InvalidInput for a bad query or a branch that is not indexed (with its column), limit, cursor or repository name.
 */
export async function searchCode(
  deps: { readonly codeSearch: CodeSearch; readonly queries: Queries },
  scope: OrgScope,
  input: SearchCodeInput,
  signal: AbortSignal,
): Promise<CodeSearchPage> {
  const { limit = pageLimits.usual, context = 0, matchesPerFile = 5 } = input;
  checkRange('limit', limit, 1, pageLimits.most);
  checkRange('context', context, 0, 10);
  checkRange('matchesPerFile', matchesPerFile, 1, 100);
  const query = parseQuery(input.q);
  const fingerprint = fingerprintOf([scope.organizationId, input.q, input.repositories ?? []]);
  const offset = readCursor(input.cursor, fingerprint);
  const all = await listSearchableRepositories(deps.queries, scope);
  const repositories = selectRepositories(all, input.repositories);
  if (repositories.length === 0) return nothing;
  checkBranches(input.q, query, repositories);
  const result = await deps.codeSearch.search(
    scope,
    { query, repositories, limit, offset, matchesPerFile, contextLines: context, deadlineMs },
    signal,
  );
  const names = new Map(repositories.map(({ id, name }) => [id, name]));
  const { stats, nextOffset } = result;
  const nextCursor = nextOffset === undefined ? null : writeCursor(nextOffset, fingerprint);
  // There is a page, but none that a cursor leads to.
  const ends = nextOffset !== undefined && nextCursor === null;
  const incomplete = result.incomplete ?? (ends ? 'limit' : undefined);
  return {
    items: result.files.flatMap((file) => itemOf(file, names.get(file.repository))),
    stats,
    ...(incomplete === undefined ? {} : { incomplete }),
    nextCursor,
  };
}

/** A file of a repository that is gone since, or was never asked for, has no name here and is left out. */
function itemOf(file: FileMatch, repository: string | undefined): CodeSearchItem[] {
  return repository === undefined ? [] : [{ ...file, repository, repositoryId: file.repository }];
}

import {
  type CodeSearch,
  type Incomplete,
  type ListedRepository,
  listedFiles,
  maxListed,
  type NamedRepository,
  type Query,
  type SearchResult,
} from '../../backends/codesearch/port.ts';
import type { OrgScope } from '../../foundation/kernel/org-scope.ts';
import { compareText } from '../../foundation/kernel/text/compare-text.ts';
import { mergeIncomplete } from '../search/find-symbol.ts';

/** The lines of a repository that contain a name. */
export interface RepositoryLines extends ListedRepository {
  readonly name: string;
  /** Those that define it, by path. */
  readonly definitions: ReadonlyMap<string, ReadonlySet<number>>;
}

interface NameLines {
  /** Repositories that define the name come first; then by their names. */
  readonly repositories: readonly RepositoryLines[];
  /** Number of further lines that contain it. */
  readonly unlisted: number;
  readonly incomplete: Incomplete | undefined;
}

/** Time-out of a search, in milliseconds. */
const deadlineMs = 5_000;
/** Maximum number of files in a list of them. */
const maxFiles = 200;

/** Returns all lines that contain a name as a whole word, in this case, and which of them define it. */
export async function linesOfName(
  codeSearch: Pick<CodeSearch, 'search'>,
  scope: OrgScope,
  name: string,
  repositories: readonly NamedRepository[],
  signal: AbortSignal,
): Promise<NameLines> {
  if (repositories.length === 0) return { repositories: [], unlisted: 0, incomplete: undefined };
  const word: Query = { kind: 'word', text: name };
  const symbol: Query = { kind: 'symbol', form: 'whole', text: name, caseSensitive: true };
  const limit = maxListed.files;
  const shared = {
    repositories,
    matchesPerFile: 0,
    contextLines: 0,
    limit,
    deadlineMs,
    everyLine: true,
  } as const;
  const linesOf = (query: Query) => codeSearch.search(scope, { query, ...shared }, signal);
  const [found, defined] = await Promise.all([linesOf(word), linesOf(symbol)]);
  const definitions = new Map(
    defined.listed?.repositories.map((each) => [each.repository, linesByPath(each)]),
  );
  const names = new Map(repositories.map((each) => [each.id, each.name]));
  const listed = (found.listed?.repositories ?? []).flatMap((each) => {
    const own = definitions.get(each.repository) ?? new Map();
    const known = names.get(each.repository);
    return known === undefined ? [] : { ...each, name: known, definitions: own };
  });
  return {
    repositories: listed.toSorted(
      (one, other) =>
        Number(definitions.has(other.repository)) - Number(definitions.has(one.repository)) ||
        compareText(one.name, other.name),
    ),
    unlisted: found.listed?.unlisted ?? 0,
    incomplete: mergeIncomplete(found.incomplete, defined.incomplete),
  };
}

function linesByPath(list: ListedRepository): ReadonlyMap<string, ReadonlySet<number>> {
  return new Map(Array.from(listedFiles(list), ([path, lines]) => [path, new Set(lines)]));
}

/** Returns at most 200 files that match all of some queries. */
export async function filesWith(
  codeSearch: Pick<CodeSearch, 'search'>,
  scope: OrgScope,
  operands: readonly Query[],
  repositories: readonly NamedRepository[],
  signal: AbortSignal,
): Promise<SearchResult['files']> {
  const limits = { limit: maxFiles, matchesPerFile: 0, contextLines: 0, deadlineMs };
  const query = { kind: 'and', operands } as const;
  return (await codeSearch.search(scope, { query, repositories, ...limits }, signal)).files;
}

import type {
  CodeSearch,
  FileMatch,
  Incomplete,
  Query,
  SearchRequest,
  SearchResult,
  SymbolKind,
} from '../../backends/codesearch/port.ts';
import type { Queries } from '../../foundation/db/database.ts';
import type { RepositoryId } from '../../foundation/kernel/ids.ts';
import type { OrgScope } from '../../foundation/kernel/org-scope.ts';
import { checkRange } from '../../foundation/kernel/wire/invalid-field.ts';
import type { Page } from '../../foundation/kernel/wire/page.ts';
import { listNamedRepositories } from '../repositories/named-repositories.ts';
import { selectRepositories } from './find-repository.ts';
import { fingerprintOf, readCursor, writeCursor } from './search-cursor.ts';
import { lastPart } from './symbol-name.ts';

export interface FindSymbolInput {
  /** A name or a part of it. Of a qualified name (`Lease.renew`, `lease::renew`), the last part is searched. */
  readonly name: string;
  /** The definitions that a qualified name means. Default: all. */
  readonly among?: WantedSymbols | undefined;
  readonly kind?: SymbolKind;
  /** Names or ids of the repositories to search. Default: all. */
  readonly repositories?: readonly string[];
  /**
   * Definitions per page, 1 to 100. Default: 20. A file is never split between pages, so a page may have a few more.
   */
  readonly limit?: number;
  readonly cursor?: string;
}

/** Tells which of the definitions with a name are wanted. */
export interface WantedSymbols {
  /** The repositories that may have some. */
  readonly repositories: Pick<ReadonlySet<string>, 'has'>;
  /** The paths of all; `undefined` if other files may have some. */
  readonly paths: readonly string[] | undefined;
  isWanted(symbol: Pick<FoundSymbol, 'repositoryId' | 'path' | 'line'>): boolean;
}

export interface FoundSymbol {
  readonly name: string;
  readonly kind: SymbolKind;
  /** Repository name. */
  readonly repository: string;
  readonly repositoryId: RepositoryId;
  readonly path: string;
  /** 1-based. */
  readonly line: number;
  /** The line of the definition. */
  readonly text: string;
  readonly language: string;
  readonly commit: string;
}

export interface FoundSymbols extends Page<FoundSymbol> {
  readonly incomplete?: Incomplete;
}

const limits = { default: 20, max: 100 };
/** Maximum number of definitions per file. */
const maxOfFile = 50;
/**
 * Maximum number of searches per page. It limits the search for a rare kind with a common name; the cursor continues
 * it.
 */
const maxSearches = 8;
/** Time-out of all searches of a page, in milliseconds. */
const deadlineMs = 2000;
/** First offset of partial matches; the offsets of exact matches are below it. */
const partialMatchOffset = 5000;

/**
 * Finds definitions by name: exact names, then, on pages of their own, names that contain it; best files first. The
 * search is case-sensitive if the name has an upper-case letter. Takes at most 2 s.
 * @throws InvalidInput for a bad name, limit, cursor or repository name.
 */
export async function findSymbol(
  deps: { readonly codeSearch: CodeSearch; readonly queries: Queries },
  scope: OrgScope,
  input: FindSymbolInput,
  signal: AbortSignal,
): Promise<FoundSymbols> {
  const { limit = limits.default, among = anySymbols } = input;
  checkRange('limit', limit, 1, limits.max);
  const name = lastPart(input.name);
  const fingerprint = fingerprintOf(scope, [name, input.kind ?? '', input.repositories ?? []]);
  const start = readCursor(input.cursor, fingerprint);
  const all = await listNamedRepositories(deps.queries, scope);
  const selected = selectRepositories(all, input.repositories);
  const repositories = selected.filter(({ id }) => among.repositories.has(id));
  const names = new Map(repositories.map((repository) => [repository.id, repository.name]));
  const items: FoundSymbol[] = [];
  let incomplete: Incomplete | undefined;
  const until = performance.now() + deadlineMs;
  let offset = repositories.length === 0 ? undefined : start;
  for (let searches = 0; offset !== undefined && searches < maxSearches; searches++) {
    if (items.length >= limit || isExactPage(items, start, offset)) break;
    const left = Math.ceil(until - performance.now());
    if (left < 1) {
      incomplete = mergeIncomplete(incomplete, 'deadline');
      break;
    }
    const request = { repositories, limit: limit - items.length, deadlineMs: left };
    const page = await searchFrom(offset, name, (query, at) =>
      deps.codeSearch.search(scope, requestFor(inPaths(query, among.paths), at, request), signal),
    );
    const found = page.files.flatMap((file) => definitionsIn(file, page.isWanted, input.kind, names));
    items.push(...found.filter((each) => among.isWanted(each)));
    incomplete = mergeIncomplete(incomplete, page.incomplete);
    offset = followingOffset(among, page.nextOffset);
  }
  const nextCursor = offset === undefined ? null : writeCursor(offset, fingerprint);
  if (offset !== undefined && nextCursor === null) incomplete = mergeIncomplete(incomplete, 'limit');
  return { items, ...(incomplete === undefined ? {} : { incomplete }), nextCursor };
}

/** Wants all definitions with a name, and with longer ones. */
const anySymbols: WantedSymbols = {
  repositories: { has: () => true },
  paths: undefined,
  isWanted: () => true,
};

/** Returns where the next search begins: a name that only contains a wanted one is another one. */
function followingOffset(among: WantedSymbols, offset: number | undefined): number | undefined {
  const isLonger = offset !== undefined && offset >= partialMatchOffset;
  return isLonger && among !== anySymbols ? undefined : offset;
}

/** Returns a query for only some paths. Default: all. */
function inPaths(query: Query, paths: readonly string[] | undefined): Query {
  if (paths === undefined) return query;
  const leaf = { kind: 'literal', field: 'path', caseSensitive: true } as const;
  return {
    kind: 'and',
    operands: [query, { kind: 'or', operands: paths.map((text) => ({ ...leaf, text })) }],
  };
}

/** Returns whether a page has all exact names that are left, and some. */
function isExactPage(items: readonly FoundSymbol[], start: number, offset: number): boolean {
  return items.length > 0 && start < partialMatchOffset && offset >= partialMatchOffset;
}

type Ask = (query: Query, offset: number) => ReturnType<CodeSearch['search']>;

interface SymbolPage {
  readonly files: readonly FileMatch[];
  readonly incomplete: Incomplete | undefined;
  readonly nextOffset: number | undefined;
  readonly isWanted: (name: string) => boolean;
}

/** Returns one page of exact matches, or, from `partialMatchOffset` on, of names that contain `name` and more. */
async function searchFrom(offset: number, name: string, ask: Ask): Promise<SymbolPage> {
  const caseSensitive = /\p{Lu}/u.test(name);
  const isExact = (found: string): boolean =>
    caseSensitive ? found === name : found.toLowerCase() === name.toLowerCase();
  const leaf = { kind: 'symbol', caseSensitive } as const;
  if (offset < partialMatchOffset) {
    const result = await ask({ ...leaf, form: 'whole', text: name }, offset);
    const { files, nextOffset = partialMatchOffset } = result;
    // There are more exact matches, but no cursor reaches them.
    const isLast = result.nextOffset !== undefined && nextOffset >= partialMatchOffset;
    const incomplete = isLast ? mergeIncomplete(result.incomplete, 'limit') : incompleteOf(result);
    return { files, incomplete, nextOffset: Math.min(nextOffset, partialMatchOffset), isWanted: isExact };
  }
  const query: Query = { ...leaf, form: 'literal', text: name };
  const result = await ask(query, offset - partialMatchOffset);
  const { files, nextOffset } = result;
  return {
    files,
    incomplete: incompleteOf(result),
    nextOffset: nextOffset === undefined ? undefined : nextOffset + partialMatchOffset,
    isWanted: (found) => !isExact(found),
  };
}

function requestFor(
  query: Query,
  offset: number,
  rest: Pick<SearchRequest, 'limit' | 'deadlineMs'> & Pick<Required<SearchRequest>, 'repositories'>,
): SearchRequest {
  return { query, offset, matchesPerFile: maxOfFile, contextLines: 0, ...rest };
}

function definitionsIn(
  file: FileMatch,
  isWanted: (name: string) => boolean,
  kind: SymbolKind | undefined,
  names: ReadonlyMap<RepositoryId, string>,
): FoundSymbol[] {
  const repository = names.get(file.repository);
  if (repository === undefined) return [];
  const { path, language, commit } = file;
  return file.matches.flatMap(({ symbol, line, text }) =>
    symbol !== undefined && isWanted(symbol.name) && (kind === undefined || symbol.kind === kind)
      ? [{ ...symbol, repository, repositoryId: file.repository, path, line, text, language, commit }]
      : [],
  );
}

/**
 * Returns why definitions of a result are missing. A limit is no reason if the next page continues there, but it is one
 * if a file has more definitions than are returned of one file.
 */
function incompleteOf({ files, incomplete, nextOffset }: SearchResult): Incomplete | undefined {
  const isCut = files.some(({ moreMatches }) => moreMatches > 0);
  const reason = incomplete === 'limit' && nextOffset !== undefined ? undefined : incomplete;
  return isCut ? mergeIncomplete(reason, 'limit') : reason;
}

/** Merges two reasons for an incomplete page: the first of this list. What is only less known comes last. */
export function mergeIncomplete(
  one: Incomplete | undefined,
  other: Incomplete | undefined,
): Incomplete | undefined {
  return (['damaged', 'deadline', 'limit', 'definitions'] as const).find(
    (reason) => reason === one || reason === other,
  );
}

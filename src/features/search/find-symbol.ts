export { symbolKinds } from '../../backends/codesearch/port.ts';

import type {
  CodeSearch,
  FileMatch,
  Incomplete,
  Query,
  SearchRequest,
  SymbolKind,
} from '../../backends/codesearch/port.ts';
import type { Queries } from '../../foundation/db/database.ts';
import type { RepositoryId } from '../../foundation/kernel/ids.ts';
import { checkRange, invalidField } from '../../foundation/kernel/invalid-field.ts';
import type { OrgScope } from '../../foundation/kernel/org-scope.ts';
import type { Page } from '../../foundation/kernel/page.ts';
import { listSearchableRepositories } from '../repositories/repository-store.ts';
import { selectRepositories } from './find-repository.ts';
import { fingerprintOf, readCursor, writeCursor } from './search-cursor.ts';

export interface FindSymbolInput {
  /** A name or a part of one; of a qualified name (`Lease.renew`, `lease::renew`) the last part counts. */
  readonly name: string;
  readonly kind?: SymbolKind;
  /** Only these, by name or id. */
  readonly repositories?: readonly string[];
  /** Definitions a page; 1 to 100, default 20. Those of one file stay together, so that there may be a few more. */
  readonly limit?: number;
  readonly cursor?: string;
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
  /** The line that defines it. */
  readonly text: string;
  readonly language: string;
  readonly commit: string;
}

export interface FoundSymbols extends Page<FoundSymbol> {
  readonly incomplete?: Incomplete;
}

const longestName = 200;
const limits = { usual: 20, most: 100 };
/** Definitions of one file; whoever defines more under such a name means all of them. */
const mostOfFile = 50;
/** Searches for one page: a rare kind under a common name is sought no further, and the cursor says where to go on. */
const mostSearches = 8;
/** Milliseconds of all of them. */
const deadlineMs = 2000;
/** Offsets of names that hold the text lie behind those of names that are it. */
const behindExact = 5000;

/**
 * Finds definitions by name: those of that very name first, then of names that hold it; best files first. Case matters
 * where the name has an upper-case letter. At most 2 s.
 * @throws InvalidInput for a bad name, limit, cursor or repository name.
 */
export async function findSymbol(
  deps: { readonly codeSearch: CodeSearch; readonly queries: Queries },
  scope: OrgScope,
  input: FindSymbolInput,
  signal: AbortSignal,
): Promise<FoundSymbols> {
  const { limit = limits.usual } = input;
  checkRange('limit', limit, 1, limits.most);
  const name = lastPart(input.name);
  const fingerprint = fingerprintOf([scope.organizationId, name, input.kind ?? '', input.repositories ?? []]);
  let offset: number | undefined = readCursor(input.cursor, fingerprint);
  const all = await listSearchableRepositories(deps.queries, scope);
  const repositories = selectRepositories(all, input.repositories);
  const names = new Map(repositories.map((repository) => [repository.id, repository.name]));
  const items: FoundSymbol[] = [];
  let incomplete: Incomplete | undefined;
  const until = performance.now() + deadlineMs;
  if (repositories.length === 0) offset = undefined;
  for (
    let searches = 0;
    offset !== undefined && items.length < limit && searches < mostSearches;
    searches++
  ) {
    const left = Math.ceil(until - performance.now());
    if (left < 1) {
      incomplete = worse(incomplete, 'deadline');
      break;
    }
    const request = { repositories, limit: limit - items.length, deadlineMs: left };
    const page = await searchFrom(offset, name, (query, from) =>
      deps.codeSearch.search(scope, requestFor(query, from, request), signal),
    );
    items.push(...page.files.flatMap((file) => definitionsIn(file, page.isWanted, input.kind, names)));
    incomplete = worse(incomplete, page.incomplete);
    offset = page.nextOffset;
  }
  return {
    items,
    ...(incomplete === undefined ? {} : { incomplete }),
    nextCursor: offset === undefined ? null : writeCursor(offset, fingerprint),
  };
}

type Ask = (query: Query, offset: number) => ReturnType<CodeSearch['search']>;

interface SymbolPage {
  readonly files: readonly FileMatch[];
  readonly incomplete: Incomplete | undefined;
  readonly nextOffset: number | undefined;
  readonly isWanted: (name: string) => boolean;
}

/** One page of names that are `name`, or, from `behindExact` on, of those that hold it and more. */
async function searchFrom(offset: number, name: string, ask: Ask): Promise<SymbolPage> {
  const caseSensitive = /\p{Lu}/u.test(name);
  const isExact = (found: string): boolean =>
    caseSensitive ? found === name : found.toLowerCase() === name.toLowerCase();
  const leaf = { kind: 'symbol', caseSensitive } as const;
  if (offset < behindExact) {
    const query: Query = { ...leaf, form: 'regex', text: `^${escapePattern(name)}$` };
    const { files, incomplete, nextOffset } = await ask(query, offset);
    const next = nextOffset === undefined || nextOffset >= behindExact ? behindExact : nextOffset;
    return { files, incomplete, nextOffset: next, isWanted: isExact };
  }
  const query: Query = { ...leaf, form: 'literal', text: name };
  const { files, incomplete, nextOffset } = await ask(query, offset - behindExact);
  return {
    files,
    incomplete,
    nextOffset: nextOffset === undefined ? undefined : nextOffset + behindExact,
    isWanted: (found) => !isExact(found),
  };
}

function requestFor(
  query: Query,
  offset: number,
  rest: Pick<SearchRequest, 'limit' | 'deadlineMs'> & Pick<Required<SearchRequest>, 'repositories'>,
): SearchRequest {
  return { query, offset, matchesPerFile: mostOfFile, contextLines: 0, ...rest };
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

/** `damaged` goes before all others; `limit` is no news, since there is a cursor. */
function worse(known: Incomplete | undefined, found: Incomplete | undefined): Incomplete | undefined {
  if (known === 'damaged' || found === undefined || found === 'limit') return known;
  return found;
}

/** Names as people write them: with a qualifier before, parentheses behind. */
function lastPart(text: string): string {
  const name = text
    .trim()
    .replace(/\(\)?$/, '')
    .split(/::|[.#]|->/)
    .filter((part) => part !== '')
    .at(-1);
  if (name === undefined) throw refuseName('is empty; give the name of a function, class, type and the like');
  if (name.length > longestName) throw refuseName(`is longer than ${longestName} characters`);
  if (/[\n\0]/.test(name) || !name.isWellFormed())
    throw refuseName('is no name: it holds a line break, NUL or half a character');
  return name;
}

function refuseName(what: string): Error {
  return invalidField('name', what, `The name ${what}.`);
}

/** RE2. */
function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

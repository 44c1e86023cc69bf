import {
  type CodeSearch,
  fileClassOf,
  languageOf,
  type SourceReader,
} from '../../backends/codesearch/port.ts';
import type { Queries } from '../../foundation/db/database.ts';
import type { OrgScope } from '../../foundation/kernel/org-scope.ts';
import { checkRange } from '../../foundation/kernel/wire/invalid-field.ts';
import { pageLimits } from '../../foundation/kernel/wire/page.ts';
import type { KnowledgeDeps } from '../knowledge/knowledge-deps.ts';
import { qualifiedNameOfKey } from '../knowledge/links/keys.ts';
import type { DefinedName } from '../knowledge/queries/file-definitions.ts';
import { openVisibleGraph } from '../knowledge/queries/visible-graph.ts';
import { listVersionedRepositories } from '../repositories/named-repositories.ts';
import { printAddress } from '../search/address.ts';
import { selectRepositories } from '../search/find-repository.ts';
import { type OfferDeps, offerExisting } from '../search/offer-existing.ts';
import { fingerprintOf, readCursor, writeCursor } from '../search/search-cursor.ts';
import { describeLines } from './describe-lines.ts';
import { foundLines } from './found-lines.ts';
import type { ReferenceKind } from './line-kind.ts';
import type { LineTable, TableLine } from './line-table.ts';
import { noticeOfUnknown, noticesOf } from './notices.ts';
import type { Reference, ReferencePage } from './reference-record.ts';
import { type ReferenceQuestion, targetOf } from './reference-target.ts';

export interface ReferenceDeps {
  readonly queries: Queries;
  readonly knowledge: KnowledgeDeps;
  readonly codeSearch: Pick<CodeSearch, 'search'>;
  readonly sources: Pick<SourceReader, 'readFile'> & OfferDeps['sources'];
}

export interface FindReferencesInput extends ReferenceQuestion {
  /** Names or ids of the repositories to search. Default: all. */
  readonly repositories?: readonly string[] | undefined;
  readonly kind?: ReferenceKind | undefined;
  /** Lines per page, at most 200. Default: 50. */
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

export interface FoundReferences extends ReferencePage {
  /** The notice that no definition has the qualified name that was asked for; `undefined` if one has it. */
  readonly unknownNotice: string | undefined;
  /** Returns the cursor of the page after the first `count` items, for an answer that shows fewer of them. */
  cursorAfter(count: number): string | null;
}

/** Maximum number of lines that a caller can page through. */
const maxOffset = 999_999;
/** Number of lines that are read at once, and for one page, in search of a kind. */
const readLines = { atOnce: 200, ofPage: 2_000 } as const;

/**
 * Finds every line that contains a name as a whole word, and those that use its definitions under another name, with
 * what the knowledge graph tells of them. Asked for one definition, it leaves out and counts the lines that certainly
 * mean another one.
 * @throws InvalidInput for a bad name, address, repository, limit or cursor; NotFound for an unknown definition
 */
export async function findReferences(
  deps: ReferenceDeps,
  scope: OrgScope,
  input: FindReferencesInput,
  signal: AbortSignal,
): Promise<FoundReferences> {
  const { limit = pageLimits.default, kind } = input;
  checkRange('limit', limit, 1, pageLimits.max);
  const all = await listVersionedRepositories(deps.queries, scope);
  const repositories = selectRepositories(all, input.repositories);
  const { graph } = await openVisibleGraph(deps.knowledge, scope);
  const target = await offerExisting(deps, scope, () => targetOf(graph, scope, input, all), signal);
  const asked = [input.name ?? '', input.address ?? '', input.kind ?? '', input.repositories ?? []];
  const fingerprint = fingerprintOf(scope, [...asked]);
  const offset = readCursor(input.cursor, fingerprint, maxOffset);
  const found = await foundLines(
    { codeSearch: deps.codeSearch, sources: deps.sources, graph },
    scope,
    { target, repositories, all },
    signal,
  );
  const { meant, text, unlisted } = found;
  const names = new Map(all.map(({ id, name }) => [String(id), name]));
  const page = await readPage(deps, scope, { text, meant, names, kind, limit, offset }, signal);
  const notices = await noticesOf(deps.queries, scope, {
    incomplete: found.incomplete,
    unlisted,
    isGraphCut: found.isGraphCut,
    repositories: input.repositories,
  });
  const unknownNotice =
    found.unknown === undefined ? undefined : noticeOfUnknown(found.unknown, text !== target.name);
  const cursorAfter = (count: number): string | null => {
    const next = count < page.items.length ? (page.ends[count - 1] ?? offset) : page.end;
    return next < meant.total ? writeCursor(next, fingerprint, maxOffset) : null;
  };
  const { certain, possible, written, elsewhere } = meant.counts;
  return {
    name: text,
    definitions: found.definitions.flatMap((each) => addressOf(each, names) ?? []),
    total: meant.total + unlisted,
    certain,
    possible: possible + written,
    text: meant.counts.text + unlisted,
    written,
    elsewhere,
    others: found.others,
    items: page.items,
    ...(found.incomplete === undefined ? {} : { incomplete: found.incomplete }),
    notices: [...notices, ...[found.notice, unknownNotice].filter((each) => each !== undefined)],
    nextCursor: cursorAfter(page.items.length),
    unknownNotice,
    cursorAfter,
  };
}

interface PageRequest {
  /** What the lines have. */
  readonly text: string;
  readonly meant: LineTable;
  readonly names: ReadonlyMap<string, string>;
  readonly kind: ReferenceKind | undefined;
  readonly limit: number;
  readonly offset: number;
}

interface ReadPage {
  readonly items: readonly Reference[];
  /** The positions after the lines of the items. */
  readonly ends: readonly number[];
  /** The position after the last line that was read. */
  readonly end: number;
}

/** Reads lines until a page has enough of the kind, or enough were read. */
async function readPage(
  deps: ReferenceDeps,
  scope: OrgScope,
  { text, meant, names, kind, limit, offset }: PageRequest,
  signal: AbortSignal,
): Promise<ReadPage> {
  const items: Reference[] = [];
  const ends: number[] = [];
  let end = offset;
  while (items.length < limit && end < meant.total && end - offset < readLines.ofPage) {
    const lines = meant.slice(end, end + (kind === undefined ? limit : readLines.atOnce));
    const described = await describeLines(deps.sources, scope, { name: text, lines }, signal);
    for (const [index, each] of described.entries()) {
      if (items.length === limit) break;
      end += 1;
      if (kind !== undefined && each.kind !== kind) continue;
      items.push(recordOf(lines[index]!, each, names));
      ends.push(end);
    }
  }
  return { items, ends, end };
}

function recordOf(
  { list, path, line, meaning }: TableLine,
  { text, kind, otherName }: Awaited<ReturnType<typeof describeLines>>[number],
  names: ReadonlyMap<string, string>,
): Reference {
  const { certainty, from, to, reason } = meaning;
  const [target, ...others] = to;
  const address = target && others.length === 0 ? addressOf(target, names) : undefined;
  const candidates = others.length === 0 ? reason : `${to.length} candidates`;
  const why = otherName ?? candidates;
  const around = from && qualifiedNameOfKey(from);
  return {
    address: printAddress({ repository: list.name, path, lines: { first: line, last: line } }),
    line: text,
    kind,
    test: fileClassOf(path, languageOf(path)) === 'test',
    certainty: certainty === 'certain' || certainty === 'text' ? certainty : 'possible',
    ...(around === undefined ? {} : { from: around }),
    ...(address === undefined || kind === 'definition' ? {} : { to: address }),
    ...(why === undefined ? {} : { reason: why }),
  };
}

function addressOf(
  { repositoryId, path, line }: DefinedName,
  names: ReadonlyMap<string, string>,
): string | undefined {
  const repository = names.get(repositoryId);
  return repository && printAddress({ repository, path, lines: { first: line, last: line } });
}

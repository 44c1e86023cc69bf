import { type HistoryRequest, historyLimits, type SourceHistory } from '../../backends/codesearch/port.ts';
import type { OrgScope } from '../../foundation/kernel/org-scope.ts';
import { shortCommit } from '../../foundation/kernel/text/short-commit.ts';
import { given } from '../../foundation/kernel/wire/given.ts';
import { checkRange, invalidField } from '../../foundation/kernel/wire/invalid-field.ts';
import { printRange } from '../../foundation/kernel/wire/line-range.ts';
import { pageLimits } from '../../foundation/kernel/wire/page.ts';
import { printAddress } from '../search/address.ts';
import { listSource, readSource } from '../search/read-source.ts';
import { fingerprintOf, readCursor, writeCursor } from '../search/search-cursor.ts';
import type { HistoryDeps, HistoryPaging } from './history-deps.ts';
import { continueBy, itemOf } from './history-item.ts';
import { type HistoryPlace, historyPlace, printPlace } from './history-place.ts';
import type { HistoryPage } from './history-record.ts';
import { type HistoryFilter, type HistoryInput, historyFilter } from './history-request.ts';
import { historyOfAll } from './read-all-histories.ts';

/** A page of a history. `address` is that of its place; absent for all repositories. */
export interface HistoryOfPlace extends HistoryPage {
  readonly address?: string;
}

/**
 * Returns a page of commits, newest first: of lines, a file, a folder or a repository, or of all repositories.
 * @throws InvalidInput; NotFound for an unknown repository or commit, and for a path that never existed, with the
 * nearest folder
 */
export async function readHistory(
  deps: HistoryDeps,
  scope: OrgScope,
  input: HistoryInput,
  signal: AbortSignal,
): Promise<HistoryOfPlace> {
  const limit = input.limit ?? pageLimits.default;
  checkRange('limit', limit, 1, pageLimits.max);
  const filter = historyFilter(input);
  const place = await historyPlace(deps, scope, input, signal);
  if (filter.text !== undefined && (place === undefined || place.lines !== undefined))
    throw invalidField('text', 'is looked for in a repository, a folder or a whole file: name one');
  const where = place === undefined ? [] : [place.id, place.path ?? '', place.commit ?? ''];
  const lines = place?.lines === undefined ? '' : printRange(place.lines);
  const said = [
    filter.words ?? [],
    filter.text ?? '',
    filter.author ?? '',
    String(filter.since),
    String(filter.until),
  ];
  const fingerprint = fingerprintOf(scope, [where, lines, ...said]);
  const offset = readCursor(input.cursor, fingerprint, historyLimits.skip);
  const page = { filter, offset, limit, fingerprint };
  if (place === undefined) return historyOfAll(deps, scope, page, signal);
  return { ...(await historyOfPlace(deps, scope, { place, ...page }, signal)), address: printPlace(place) };
}

async function historyOfPlace(
  deps: HistoryDeps,
  scope: OrgScope,
  { place, filter, offset, limit, fingerprint }: HistoryPaging & { readonly place: HistoryPlace },
  signal: AbortSignal,
): Promise<HistoryPage> {
  const { id, name, path, commit } = place;
  const span = await existingLines(deps, scope, place, signal);
  const request: HistoryRequest = {
    repository: id,
    ...given({ commit, path, lines: span }),
    ...filter,
    skip: offset,
    max: limit,
    files: true,
  };
  const history = await deps.sources.readHistory(scope, request, signal);
  if (history === undefined || (path !== undefined && isUnknown(history, offset))) {
    await failIfMissing(deps, scope, { place, filter }, signal);
    if (history === undefined) throw invalidField('lines', 'have no history that can be read');
  }
  const nextCursor = history.more ? writeCursor(offset + limit, fingerprint, historyLimits.skip) : null;
  return {
    items: history.commits.map((one) => itemOf(one, name)),
    nextCursor,
    incomplete: !history.whole,
    notices: [
      ...goneNotice(place, history),
      ...(history.lacksOlder && filter.since === undefined
        ? [`The copy of \`${name}\` lacks older commits, as its source does.`]
        : []),
      ...(history.whole
        ? []
        : ['The time was up before all commits were read. Name a path, since or until.']),
      ...(history.more && nextCursor === null ? [continueBy(history.commits)] : []),
    ],
  };
}

function isUnknown({ commits, whole }: SourceHistory, offset: number): boolean {
  return commits.length === 0 && whole && offset === 0;
}

/** Returns the lines as far as the file has them. @throws NotFound, InvalidInput for lines past the end */
async function existingLines(
  deps: HistoryDeps,
  scope: OrgScope,
  { id, path, commit, lines }: HistoryPlace,
  signal: AbortSignal,
): Promise<{ readonly startLine: number; readonly endLine: number } | undefined> {
  if (lines === undefined || path === undefined) return undefined;
  const first = { first: lines.first, last: lines.first };
  const asked = given({ repository: id, path, commit, lines: first });
  const { totalLines } = await readSource(deps, scope, asked, signal);
  return { startLine: lines.first, endLine: Math.min(lines.last ?? totalLines, totalLines) };
}

/** @throws NotFound for a commit that is not reached, and for a path that no commit ever had, with the nearest folder */
async function failIfMissing(
  { sources, queries }: HistoryDeps,
  scope: OrgScope,
  { place, filter }: { readonly place: HistoryPlace; readonly filter: HistoryFilter },
  signal: AbortSignal,
): Promise<void> {
  const { id, path = '', commit } = place;
  const at = commit === undefined ? {} : { commit };
  if (path !== '' && Object.keys(filter).length > 0) {
    const anything = { repository: id, ...at, path, skip: 0, max: 1, files: false };
    const found = await sources.readHistory(scope, anything, signal);
    if (found !== undefined && !isUnknown(found, 0)) return;
  }
  await listSource({ sources, queries }, scope, { repository: id, path, ...at }, signal);
}

function goneNotice({ name, path }: HistoryPlace, { gone }: SourceHistory): readonly string[] {
  if (gone === undefined || path === undefined) return [];
  const by = `by commit ${shortCommit(gone.commit)}`;
  if (gone.renamedTo === undefined) return [`\`${path}\` no longer exists: it was removed ${by}.`];
  const address = printAddress({ repository: name, path: gone.renamedTo });
  return [`\`${path}\` was renamed ${by}. Its later history is that of ${address}`];
}

import {
  type HistoryRequest,
  historyLimits,
  type SourceHistoryCommit,
} from '../../backends/codesearch/port.ts';
import { OrgctxError } from '../../foundation/kernel/errors.ts';
import { inTurns } from '../../foundation/kernel/limits/in-turns.ts';
import type { OrgScope } from '../../foundation/kernel/org-scope.ts';
import { listed } from '../../foundation/kernel/text/listed.ts';
import { listNamedRepositories, type NamedSearchable } from '../repositories/named-repositories.ts';
import { writeCursor } from '../search/search-cursor.ts';
import type { HistoryDeps, HistoryPaging } from './history-deps.ts';
import { continueBy, itemOf } from './history-item.ts';
import type { HistoryPage } from './history-record.ts';
import { type Merged, mergeHistories } from './merge-histories.ts';

/** Number of commits of all repositories together that can be paged through. */
const maxOfAll = historyLimits.commits - 1;
/** Number of repositories that are read at once, and the time for all of them, in milliseconds. */
const atOnce = 4;
const allTimeoutMs = 10_000;

/** Returns a page of the commits of all repositories, newest first. A repository that cannot be read is left out. */
export async function historyOfAll(
  deps: HistoryDeps,
  scope: OrgScope,
  { filter, offset, limit, fingerprint }: HistoryPaging,
  signal: AbortSignal,
): Promise<HistoryPage> {
  const repositories = await listNamedRepositories(deps.queries, scope);
  const timeout = AbortSignal.timeout(allTimeoutMs);
  const bounded = AbortSignal.any([signal, timeout]);
  let incomplete = false;
  const unreadable = new Set<string>();
  const shallow = new Set<string>();
  const read = async (
    { id, name }: NamedSearchable,
    range: Pick<HistoryRequest, 'skip' | 'max' | 'files'>,
  ): Promise<readonly SourceHistoryCommit[]> => {
    try {
      bounded.throwIfAborted();
      const history = await deps.sources.readHistory(scope, { repository: id, ...filter, ...range }, bounded);
      incomplete ||= history?.whole === false;
      if (history?.lacksOlder && filter.since === undefined) shallow.add(name);
      return history?.commits ?? [];
    } catch (error) {
      if (signal.aborted) throw error;
      if (timeout.aborted) incomplete = true;
      // A damaged copy of one repository must not hide the others.
      else if (error instanceof OrgctxError) unreadable.add(name);
      else throw error;
      return [];
    }
  };
  const max = Math.min(offset + limit + 1, historyLimits.commits);
  const lists = await inTurns(repositories, atOnce, (one) => read(one, { skip: 0, max, files: false }));
  const merged = mergeHistories(lists, max);
  const shown = merged.slice(offset, offset + limit);
  // The commits of one repository on a page follow each other in its list.
  const paths = await inTurns(repositories, atOnce, async (one, from) => {
    const own = shown.filter((commit) => commit.from === from);
    if (own.length === 0) return [];
    const skip = merged.slice(0, offset).filter((commit) => commit.from === from).length;
    return read(one, { skip, max: own.length, files: true });
  });
  const byId = new Map(paths.flat().map((commit) => [commit.id, commit]));
  const more = merged.length > offset + limit || lists.some((list) => list.length === historyLimits.commits);
  const nextCursor = more && offset + limit < maxOfAll ? writeCursor(offset + limit, fingerprint) : null;
  return {
    items: shown.map(({ from, commit }: Merged<SourceHistoryCommit>) =>
      itemOf(byId.get(commit.id) ?? commit, repositories[from]?.name ?? ''),
    ),
    nextCursor,
    incomplete: incomplete || unreadable.size > 0,
    notices: [
      ...(incomplete ? ['The time was up before all repositories were read. Name one, or since.'] : []),
      ...(shallow.size === 0 ? [] : [shallowNotice([...shallow])]),
      ...(unreadable.size === 0 ? [] : [unreadableNotice([...unreadable])]),
      ...(more && nextCursor === null ? [continueBy(shown.map(({ commit }) => commit))] : []),
    ],
  };
}

/** Maximum number of repositories that a notice names. */
const maxNamed = 5;

function shallowNotice(names: readonly string[]): string {
  return `The copies of ${listed(names, maxNamed)} lack older commits, as their sources do.`;
}

function unreadableNotice(names: readonly string[]): string {
  return `The history of ${listed(names, maxNamed)} cannot be read now; their next sync restores it.`;
}

import { isDeepStrictEqual } from 'node:util';
import type { Widening } from '../../sync/source.ts';
import type { TrackerConfiguration } from '../configuration.ts';
import { kindOf, type MirroredKind } from '../kinds/kinds.ts';
import { enabledKinds } from './tracker-scope.ts';

/**
 * Returns what a configuration adds: the kinds with entities that were out of scope, and those in scope by requests if
 * another scope may admit others; `added` are the teams that were added, if nothing else was. `rendering`: the files
 * themselves have another content.
 */
export function widenedBy(former: TrackerConfiguration, next: TrackerConfiguration): Widening | 'rendering' {
  const { customerRequests, comments } = next.content;
  const isRenderedOtherwise =
    comments !== former.content.comments ||
    customerRequests !== former.content.customerRequests ||
    !isDeepStrictEqual(next.assets, former.assets);
  if (isRenderedOtherwise) return 'rendering';
  const all = enabledKinds(next);
  if (isScopeWidened(former.scope, next.scope)) return { families: all };
  const before = new Set<MirroredKind>(enabledKinds(former));
  const added = all.filter((kind) => !before.has(kind));
  const teams = missingIn(former.scope.teams, next.scope.teams);
  // Another scope may admit other requests.
  const isOther = !isDeepStrictEqual(next.scope, former.scope);
  const requested = isOther ? all.filter((kind) => kindOf({ kind }).requests !== undefined) : [];
  if (teams.length === 0 || former.scope.teams.includes('*'))
    return { families: [...new Set([...added, ...requested])] };
  return added.length === 0 ? { families: all, added: teams } : { families: all };
}

type Scope = TrackerConfiguration['scope'];

/** Returns whether a part of the scope besides its teams admits more. An empty list of names admits everything. */
function isScopeWidened(former: Scope, next: Scope): boolean {
  const lists = [
    [former.projects, next.projects],
    [former.states, next.states],
    [former.labels.include, next.labels.include],
  ] as const;
  return (
    lists.some(
      ([before, after]) => before.length > 0 && (after.length === 0 || missingIn(before, after).length > 0),
    ) ||
    missingIn(next.labels.exclude, former.labels.exclude).length > 0 ||
    (former.since !== undefined && (next.since === undefined || next.since < former.since)) ||
    (next.includeArchived && !former.includeArchived) ||
    (next.includePrivateTeams && !former.includePrivateTeams)
  );
}

/** Returns the names in `all` that `known` lacks. */
function missingIn(known: readonly string[], all: readonly string[]): readonly string[] {
  const names = new Set(known.map((name) => name.toLowerCase()));
  return all.filter((name) => !names.has(name.toLowerCase()));
}

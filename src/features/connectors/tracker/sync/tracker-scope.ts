import { isDeepStrictEqual } from 'node:util';
import { listed } from '../../../../foundation/kernel/text/listed.ts';
import { visibleLine } from '../../../../foundation/kernel/text/visible-text.ts';
import type { Widening } from '../../sync/source.ts';
import type { TrackerConfiguration } from '../configuration.ts';
import type { Answer } from '../kinds/family.ts';
import { kinds } from '../kinds/kinds.ts';
import type { team } from '../kinds/team.ts';
import type { Filter, ScopeFacts, TrackerEntity, TrackerKind } from '../kinds/tracker-kind.ts';

/** The scope of a connection, with the teams that the account sees at present. */
interface TrackerScope {
  readonly configuration: TrackerConfiguration;
  /** Ids of the teams in scope. */
  readonly teams: ReadonlySet<string>;
  /** True if the scope names all teams, so that what belongs to no team is in scope, too. */
  readonly isWorkspace: boolean;
}

export type ScopeTeam = Pick<Answer<(typeof team)['shape']>, 'id' | 'key' | 'visibility'>;

/** Resolves the teams that a configuration names. A `restricted` team lies inside a private one. */
export function resolveScope(
  configuration: TrackerConfiguration,
  visible: readonly ScopeTeam[],
): TrackerScope {
  const { teams: named, includePrivateTeams } = configuration.scope;
  const isWorkspace = named.includes('*');
  const names = new Set(named.map((name) => name.toLowerCase()));
  const teams = visible.filter(
    ({ id, key, visibility }) =>
      (isWorkspace || names.has(id.toLowerCase()) || names.has(key.toLowerCase())) &&
      (includePrivateTeams || visibility === 'public'),
  );
  return { configuration, teams: new Set(teams.map(({ id }) => id)), isWorkspace };
}

/** Returns why teams that a configuration names are not mirrored; `undefined` if all of them are. */
export function missingTeams(
  { scope: { teams: named, includePrivateTeams } }: TrackerConfiguration,
  visible: readonly ScopeTeam[],
): string | undefined {
  const teamOf = (name: string) =>
    visible.find(({ id, key }) => [id, key].some((each) => each.toLowerCase() === name.toLowerCase()));
  const names = named.filter((name) => name !== '*');
  const unknown = names.filter((name) => teamOf(name) === undefined);
  const hidden = includePrivateTeams
    ? []
    : names.filter((name) => (teamOf(name)?.visibility ?? 'public') !== 'public');
  const reasons = [
    ...(unknown.length === 0 ? [] : [`the account shows no team ${listOf(unknown)}`]),
    ...(hidden.length === 0 ? [] : [`includePrivateTeams is off, and ${listOf(hidden)} is private`]),
  ];
  return reasons.length === 0 ? undefined : reasons.join('; ');
}

/** Lists at most five names in a message. */
const listOf = (names: readonly string[]): string => visibleLine(listed(names, 5));

/** Returns the kinds that the configuration asks for. @internal Tests call it alone. */
export function enabledKinds({ content }: Pick<TrackerConfiguration, 'content'>): readonly TrackerKind[] {
  return kinds.filter(({ isOn }) => isOn(content));
}

/**
 * Returns whether an entity is to be mirrored. What is in the trash never is. Users and customers belong to the whole
 * workspace: a list has the users that other files mention, and a customer needs a request that is in scope.
 */
export function isInScope(
  { configuration, teams, isWorkspace }: TrackerScope,
  { isOn, scope: limits }: TrackerKind,
  facts: ScopeFacts,
): boolean {
  const { scope, content } = configuration;
  const { since, projects } = scope;
  if (facts.trashed || !isOn(content)) return false;
  if (facts.archived && !scope.includeArchived && limits.staysArchived !== true) return false;
  const isOfScope =
    facts.teams.length === 0
      ? isWorkspace || limits.isOfNoTeam === true
      : facts.teams.some((team) => teams.has(team));
  if (!isOfScope) return false;
  if (since !== undefined && limits.isDated === true && facts.updatedAt < since) return false;
  if (limits.inProjects === true && projects.length > 0 && !overlaps(projects, facts.projects)) return false;
  return isWantedIssue(scope, facts);
}

/** Returns whether labels and states, which limit issues and what belongs to them, admit an entity. */
function isWantedIssue({ labels, states }: Scope, facts: ScopeFacts): boolean {
  const { state } = facts;
  if (state === undefined) return true;
  if (states.length > 0 && !states.some((one) => one === state)) return false;
  if (labels.include.length > 0 && !overlaps(labels.include, facts.labels)) return false;
  return !overlaps(labels.exclude, facts.labels);
}

function overlaps(names: readonly string[], values: readonly string[]): boolean {
  const given = new Set(values.map((value) => value.toLowerCase()));
  return names.some((name) => given.has(name.toLowerCase()));
}

/**
 * Returns the filter for a list of a kind that leaves out what is certainly out of scope. The provider's answer is
 * evaluated in any case. Not for changes: an entity that left the scope would be missed.
 */
export function filterOf(
  { configuration, isWorkspace }: TrackerScope,
  { scope: limits }: TrackerKind,
  teams: ReadonlySet<string>,
): Filter {
  const { since } = configuration.scope;
  const dated =
    since !== undefined && limits.isDated === true ? { updatedAt: { gte: `${since}T00:00:00.000Z` } } : {};
  const isLimited = !isWorkspace || limits.isOfTeams === true;
  return isLimited ? { ...dated, ...limits.filter?.({ id: { in: [...teams] } }) } : dated;
}

/**
 * Returns the facts of an entity. `containers`: the facts of its containers; `undefined` for those that are gone.
 */
export function factsOf(
  kind: TrackerKind,
  entity: TrackerEntity,
  containers: readonly (ScopeFacts | undefined)[],
): ScopeFacts {
  const { teams = [], projects = [], labels = [], state } = kind.factsOf?.(entity) ?? {};
  const present = containers.filter((each) => each !== undefined);
  const owners = kind.scope.outlives === true ? [] : present;
  const isLost = kind.scope.outlives !== true && present.length < containers.length;
  return {
    teams: unique([...teams, ...present.flatMap((each) => each.teams)]),
    projects: unique([...projects, ...present.flatMap((each) => each.projects)]),
    labels: unique([...labels, ...owners.flatMap((each) => each.labels)]),
    state: state ?? owners[0]?.state,
    updatedAt: entity.updatedAt,
    archived: entity.archivedAt !== undefined || owners.some(({ archived }) => archived),
    trashed: isLost || entity.trashed === true || owners.some(({ trashed }) => trashed),
  };
}

function unique(values: readonly string[]): string[] {
  return [...new Set(values)].toSorted();
}

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
  const everything = { families: all.map(({ name }) => name) };
  if (isScopeWidened(former.scope, next.scope)) return everything;
  const added = all.filter(({ isOn }) => !isOn(former.content));
  const teams = missingIn(former.scope.teams, next.scope.teams);
  if (teams.length > 0 && !former.scope.teams.includes('*'))
    return added.length === 0 ? { ...everything, added: teams } : everything;
  // Another scope may admit other requests.
  const isOther = !isDeepStrictEqual(next.scope, former.scope);
  const read = all.filter((kind) => added.includes(kind) || (isOther && kind.requests !== undefined));
  return { families: read.map(({ name }) => name) };
}

type Scope = TrackerConfiguration['scope'];

/** Returns whether a part of the scope besides its teams admits more. */
function isScopeWidened(former: Scope, next: Scope): boolean {
  return (
    admitsMore(former.projects, next.projects) ||
    admitsMore(former.states, next.states) ||
    admitsMore(former.labels.include, next.labels.include) ||
    missingIn(next.labels.exclude, former.labels.exclude).length > 0 ||
    (former.since !== undefined && (next.since === undefined || next.since < former.since)) ||
    (next.includeArchived && !former.includeArchived) ||
    (next.includePrivateTeams && !former.includePrivateTeams)
  );
}

/** Returns whether a list of names admits more than a former one. An empty list admits everything. */
function admitsMore(former: readonly string[], next: readonly string[]): boolean {
  return former.length > 0 && (next.length === 0 || missingIn(former, next).length > 0);
}

/** Returns the names in `all` that `known` lacks. */
function missingIn(known: readonly string[], all: readonly string[]): readonly string[] {
  const names = new Set(known.map((name) => name.toLowerCase()));
  return all.filter((name) => !names.has(name.toLowerCase()));
}

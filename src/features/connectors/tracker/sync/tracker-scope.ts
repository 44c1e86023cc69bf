import { listed } from '../../../../foundation/kernel/text/listed.ts';
import { visibleLine } from '../../../../foundation/kernel/text/visible-text.ts';
import type { Entity } from '../client/shapes.ts';
import type { TrackerConfiguration } from '../configuration.ts';
import { type MirroredKind, mirroredKinds, type ScopeFacts } from './scope-facts.ts';

/** The scope of a connection, with the teams that the account sees at present. */
export interface TrackerScope {
  readonly configuration: TrackerConfiguration;
  /** Ids of the teams in scope. */
  readonly teams: ReadonlySet<string>;
  /** True if the scope names all teams, so that what belongs to no team is in scope, too. */
  readonly isWorkspace: boolean;
}

export type ScopeTeam = Pick<Entity<'team'>, 'id' | 'key' | 'visibility'>;

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

/** Maximum number of names in a message. */
const maxNames = 5;

function listOf(names: readonly string[]): string {
  return visibleLine(listed(names, maxNames));
}

/** Returns the kinds that the configuration asks for. Teams are always mirrored, because the others refer to them. */
export function enabledKinds({ content }: Pick<TrackerConfiguration, 'content'>): readonly MirroredKind[] {
  const isOn: Readonly<Record<MirroredKind, boolean>> = {
    team: true,
    user: content.users,
    'issue-label': content.labels,
    project: content.projects,
    initiative: content.initiatives,
    cycle: content.cycles,
    'project-update': content.projectUpdates,
    'initiative-update': content.initiatives && content.projectUpdates,
    document: content.documents,
    customer: content.customerRequests,
    issue: content.issues,
  };
  return mirroredKinds.filter((kind) => isOn[kind]);
}

/** Kinds that the projects of a scope limit. */
const kindsInProjects: ReadonlySet<MirroredKind> = new Set([
  'project',
  'project-update',
  'initiative',
  'initiative-update',
  'document',
  'issue',
]);
/** Kinds of work, which a date limits. The others are what work refers to. */
const datedKinds: ReadonlySet<MirroredKind> = new Set([...kindsInProjects, 'cycle']);

/**
 * Returns whether an entity is to be mirrored. What is in the trash never is. Users and customers belong to the whole
 * workspace: a list has the users that other files mention, and a customer needs a request that is in scope.
 */
export function isInScope(
  { configuration, teams, isWorkspace }: TrackerScope,
  kind: MirroredKind,
  facts: ScopeFacts,
): boolean {
  const { scope } = configuration;
  if (facts.trashed || !enabledKinds(configuration).includes(kind)) return false;
  if (kind === 'user') return true;
  if (facts.archived && !scope.includeArchived) return false;
  if (kind === 'customer') return true;
  if (scope.since !== undefined && datedKinds.has(kind) && facts.updatedAt < scope.since) return false;
  if (kindsInProjects.has(kind) && scope.projects.length > 0 && !overlaps(scope.projects, facts.projects)) {
    return false;
  }
  return isInTeams(kind, facts, teams, isWorkspace) && isWantedIssue(scope, facts);
}

function isInTeams(
  kind: MirroredKind,
  facts: ScopeFacts,
  teams: ReadonlySet<string>,
  isWorkspace: boolean,
): boolean {
  if (facts.teams.length === 0) return isWorkspace || kind === 'issue-label';
  return facts.teams.some((team) => teams.has(team));
}

/** Returns whether the configuration limits issues by something that no filter of a list expresses. */
export function limitsIssues({ scope: { projects, labels, states } }: TrackerConfiguration): boolean {
  return [projects, labels.include, labels.exclude, states].some((list) => list.length > 0);
}

/** Labels and states limit issues and what belongs to them. */
function isWantedIssue({ labels, states }: TrackerConfiguration['scope'], facts: ScopeFacts): boolean {
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
  kind: MirroredKind,
  teams: ReadonlySet<string>,
): Readonly<Record<string, unknown>> {
  const { since } = configuration.scope;
  const dated =
    since !== undefined && datedKinds.has(kind) ? { updatedAt: { gte: `${since}T00:00:00.000Z` } } : {};
  const inTeams = { id: { in: [...teams] } };
  switch (kind) {
    // Also for the whole workspace, because the scope may leave out private teams.
    case 'issue':
    case 'cycle':
      return { ...dated, team: inTeams };
    case 'project':
      return isWorkspace ? dated : { ...dated, accessibleTeams: { some: inTeams } };
    default:
      return dated;
  }
}

import { z } from 'zod';
import type { EntityId } from '../../port.ts';
import type { Entity, Kind } from '../client/shapes.ts';

export const scopeFactsShape = z.object({
  /** Ids of the teams that it belongs to; empty for what belongs to the whole workspace. */
  teams: z.array(z.string()),
  /** Ids and slugs of the projects that it belongs to. */
  projects: z.array(z.string()),
  /** Ids and names. */
  labels: z.array(z.string()),
  /** The type of the state of an issue. */
  state: z.string().optional(),
  updatedAt: z.string(),
  archived: z.boolean(),
  trashed: z.boolean(),
});

/**
 * The values of an entity that a scope is evaluated by. They are stored with it, so that a narrower scope needs no
 * requests.
 */
export type ScopeFacts = z.output<typeof scopeFactsShape>;

/** The kinds that a connection mirrors, each with a file or an item of a list. The others are parts of their files. */
export const mirroredKinds = [
  'team',
  'user',
  'issue-label',
  'project',
  'initiative',
  'cycle',
  'project-update',
  'initiative-update',
  'document',
  'customer',
  'issue',
] as const satisfies readonly Kind[];
export type MirroredKind = (typeof mirroredKinds)[number];

export type MirroredEntity = {
  readonly [K in MirroredKind]: { readonly kind: K; readonly entity: Entity<K> };
}[MirroredKind];

export function isMirrored(kind: string): kind is MirroredKind {
  return mirroredKinds.some((one) => one === kind);
}

/** An entity whose teams and projects count for another one. */
export type Container = EntityId & { readonly kind: 'project' | 'initiative' | 'issue' | 'document' };

/** Returns the entities that decide about the scope of one that has no team of its own. */
export function containersOf({ kind, entity }: MirroredEntity): readonly Container[] {
  switch (kind) {
    case 'initiative':
      return entity.projects.map(({ id }) => ({ kind: 'project', id }));
    case 'project-update':
      return [{ kind: 'project', id: entity.project.id }];
    case 'initiative-update':
      return [{ kind: 'initiative', id: entity.initiative.id }];
    case 'document':
      return containersOfDocument(entity);
    default:
      return [];
  }
}

/** A document belongs to one entity; a part of another document to what that one belongs to. */
function containersOfDocument(document: Entity<'document'>): readonly Container[] {
  const { issue, project, initiative, parentDocument } = document;
  if (issue !== undefined) return [{ kind: 'issue', id: issue.id }];
  if (project !== undefined) return [{ kind: 'project', id: project.id }];
  if (initiative !== undefined) return [{ kind: 'initiative', id: initiative.id }];
  if (parentDocument === undefined || teamsOfDocument(document).length > 0) return [];
  return [{ kind: 'document', id: parentDocument.id }];
}

/** Returns the teams that a document names itself or by its cycle or release. */
function teamsOfDocument({ team, cycle, release }: Entity<'document'>): string[] {
  const named = [team, cycle?.team, ...(release?.pipeline.teams.nodes ?? [])];
  return named.flatMap((each) => (each === undefined ? [] : [each.id]));
}

/** Returns the facts of an entity. `containers`: the facts of its containers, without those that are gone. */
export function factsOf(mirrored: MirroredEntity, containers: readonly ScopeFacts[]): ScopeFacts {
  const { kind, entity } = mirrored;
  const own = ownFacts(mirrored);
  // An initiative outlives its projects; everything else goes away with its container.
  const owners = kind === 'initiative' ? [] : containers;
  const isLost = kind !== 'initiative' && containers.length < containersOf(mirrored).length;
  return {
    teams: unique([...own.teams, ...containers.flatMap(({ teams }) => teams)]),
    projects: unique([...own.projects, ...containers.flatMap(({ projects }) => projects)]),
    labels: unique([...own.labels, ...owners.flatMap(({ labels }) => labels)]),
    state: own.state ?? owners[0]?.state,
    updatedAt: entity.updatedAt,
    archived: entity.archivedAt !== undefined || owners.some(({ archived }) => archived),
    trashed:
      isLost || ('trashed' in entity && entity.trashed === true) || owners.some(({ trashed }) => trashed),
  };
}

type OwnFacts = Pick<ScopeFacts, 'teams' | 'projects' | 'labels' | 'state'>;

function ownFacts({ kind, entity }: MirroredEntity): OwnFacts {
  const none = { teams: [], projects: [], labels: [] };
  switch (kind) {
    case 'team':
      return { ...none, teams: [entity.id] };
    case 'issue-label':
      return { ...none, teams: entity.team === undefined ? [] : [entity.team.id] };
    case 'cycle':
      return { ...none, teams: [entity.team.id] };
    case 'document':
      return { ...none, teams: teamsOfDocument(entity) };
    case 'project':
      return { ...none, teams: entity.teams.map(({ id }) => id), projects: [entity.id, entity.slugId] };
    case 'issue': {
      const { team, project, labels, state } = entity;
      return {
        teams: [team.id],
        projects: project === undefined ? [] : [project.id, project.slugId],
        labels: labels.flatMap(({ id, name }) => [id, name]),
        state: state.type,
      };
    }
    default:
      return none;
  }
}

function unique(values: readonly string[]): string[] {
  return [...new Set(values)].toSorted();
}

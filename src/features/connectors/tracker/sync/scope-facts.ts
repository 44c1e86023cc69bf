import { kindOf, type MirroredEntity } from '../kinds/kinds.ts';
import type { Container, ScopeFacts } from '../kinds/tracker-kind.ts';

/** Returns the entities that decide about the scope of one that has no team of its own. */
export function containersOf(mirrored: MirroredEntity): readonly Container[] {
  return kindOf(mirrored).containersOf?.(mirrored.entity) ?? [];
}

/** Returns the facts of an entity. `containers`: the facts of its containers, without those that are gone. */
export function factsOf(mirrored: MirroredEntity, containers: readonly ScopeFacts[]): ScopeFacts {
  const { entity } = mirrored;
  const kind = kindOf(mirrored);
  const { teams = [], projects = [], labels = [], state } = kind.factsOf?.(entity) ?? {};
  const owners = kind.scope.outlives === true ? [] : containers;
  const isLost = kind.scope.outlives !== true && containers.length < containersOf(mirrored).length;
  return {
    teams: unique([...teams, ...containers.flatMap((each) => each.teams)]),
    projects: unique([...projects, ...containers.flatMap((each) => each.projects)]),
    labels: unique([...labels, ...owners.flatMap((each) => each.labels)]),
    state: state ?? owners[0]?.state,
    updatedAt: entity.updatedAt,
    archived: entity.archivedAt !== undefined || owners.some(({ archived }) => archived),
    trashed:
      isLost || ('trashed' in entity && entity.trashed === true) || owners.some(({ trashed }) => trashed),
  };
}

function unique(values: readonly string[]): string[] {
  return [...new Set(values)].toSorted();
}

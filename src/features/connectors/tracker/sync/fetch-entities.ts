import { keyOf, readEntities } from '../../entities/entity-store.ts';
import type { EntityId } from '../../port.ts';
import { storedIn } from '../../sync/change-mirror.ts';
import type { Entity, Kind } from '../client/shapes.ts';
import type { MirroredEntity, MirroredKind } from '../kinds/kinds.ts';
import { type Container, type ScopeFacts, scopeFactsShape } from '../kinds/tracker-kind.ts';
import type { Session } from './session.ts';
import { containersOf, factsOf } from './tracker-scope.ts';

/** The result of fetching entities by their ids. */
export interface Fetched {
  readonly found: readonly MirroredEntity[];
  /** Ids of those that the account does not see: they were deleted, or hidden from it. */
  readonly gone: readonly string[];
}

/**
 * Fetches entities of one kind. One that is missing in the list is asked for once more alone, and so is one that the
 * provider returned in part.
 */
export async function fetchEntities(
  { client }: Session,
  kind: MirroredKind,
  ids: readonly string[],
): Promise<Fetched> {
  const wanted = [...new Set(ids)];
  const { items } = await client.findMany(kind, wanted);
  const found = items.map((entity) => mirroredOf(kind, entity));
  const listed = new Set(items.map(({ id }) => id));
  const gone: string[] = [];
  for (const id of wanted.filter((one) => !listed.has(one))) {
    const entity = await client.find(kind, id);
    if (entity === undefined) gone.push(id);
    else found.push(mirroredOf(kind, entity));
  }
  return { found, gone };
}

export function mirroredOf(kind: MirroredKind, entity: Entity<Kind>): MirroredEntity {
  return { kind, entity } as MirroredEntity;
}

/** Maximum number of documents that lie in each other. What lies deeper, or in a circle, is not mirrored. */
const maxDepth = 10;

/**
 * Returns the facts of each entity, by its id, without those that nothing is known of because the provider refuses what
 * they belong to. Fetches the entities that they belong to, `depth` levels deep so far.
 */
export async function readFacts(
  session: Session,
  entities: readonly MirroredEntity[],
  depth = 0,
): Promise<ReadonlyMap<string, ScopeFacts>> {
  const facts = new Map<string, ScopeFacts>();
  if (entities.length === 0) return facts;
  const wanted = depth > maxDepth ? [] : entities.flatMap(containersOf);
  const containers = await readContainers(session, wanted, depth + 1);
  for (const mirrored of entities) {
    const known = containersOf(mirrored).map((container) => containers.get(keyOf(container)));
    if (known.includes('unknown')) continue;
    const present = known.filter((each) => each !== undefined && each !== 'unknown');
    facts.set(mirrored.entity.id, factsOf(mirrored, present));
  }
  return facts;
}

/**
 * Returns the facts of containers by `keyOf`, without those that are gone. Of a family that the provider refuses, they
 * are those of the mirror.
 */
export async function readContainers(
  session: Session,
  containers: readonly Container[],
  depth = 1,
): Promise<ReadonlyMap<string, ScopeFacts | 'unknown'>> {
  const all = new Map<string, ScopeFacts | 'unknown'>();
  for (const [kind, ofKind] of Map.groupBy(containers, (container) => container.kind)) {
    if (session.refusals.refused.has(kind)) {
      const stored = await storedFacts(session, ofKind);
      for (const container of ofKind) all.set(keyOf(container), stored.get(keyOf(container)) ?? 'unknown');
      continue;
    }
    const ids = ofKind.map(({ id }) => id);
    const { found } = await fetchEntities(session, kind, ids);
    const facts = await readFacts(session, found, depth);
    for (const { entity } of found)
      all.set(keyOf({ kind, id: entity.id }), facts.get(entity.id) ?? 'unknown');
  }
  return all;
}

async function storedFacts(
  { mirror }: Session,
  ids: readonly EntityId[],
): Promise<ReadonlyMap<string, ScopeFacts>> {
  const rows = await readEntities(storedIn(mirror), ids);
  return new Map(
    [...rows].flatMap(([key, { facts }]) =>
      facts === null ? [] : [[key, scopeFactsShape.parse(JSON.parse(facts))]],
    ),
  );
}

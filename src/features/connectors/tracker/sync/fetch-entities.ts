import type { Entity, Kind } from '../client/shapes.ts';
import type { MirroredEntity, MirroredKind } from '../kinds/kinds.ts';
import type { Container } from '../kinds/tracker-kind.ts';
import { containersOf, factsOf, type ScopeFacts } from './scope-facts.ts';
import type { Session } from './session.ts';

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
  { client, signal, reserve }: Session,
  kind: MirroredKind,
  ids: readonly string[],
): Promise<Fetched> {
  const options = { signal, reserve };
  const wanted = [...new Set(ids)];
  const { items } = await client.findMany(kind, wanted, options);
  const found = items.map((entity) => mirroredOf(kind, entity));
  const listed = new Set(items.map(({ id }) => id));
  const gone: string[] = [];
  for (const id of wanted.filter((one) => !listed.has(one))) {
    const entity = await client.find(kind, id, options);
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

/** Returns the facts of each entity, by its id. Fetches the entities that they belong to, `depth` levels deep so far. */
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
    const known = containersOf(mirrored).flatMap((container) => containers.get(keyOf(container)) ?? []);
    facts.set(mirrored.entity.id, factsOf(mirrored, known));
  }
  return facts;
}

/** Returns the facts of containers by `<kind> <id>`, without those that are gone. */
export async function readContainers(
  session: Session,
  containers: readonly Container[],
  depth = 1,
): Promise<ReadonlyMap<string, ScopeFacts>> {
  const found = new Map<string, ScopeFacts>();
  for (const [kind, ofKind] of Map.groupBy(containers, (container) => container.kind)) {
    const ids = ofKind.map(({ id }) => id);
    if (session.refused.has(kind)) {
      // Nothing is known of them. What belongs to them is in scope if everything is.
      for (const id of ids) found.set(keyOf({ kind, id }), { ...unknownFacts, projects: [id] });
      continue;
    }
    const { found: entities } = await fetchEntities(session, kind, ids);
    for (const [id, facts] of await readFacts(session, entities, depth))
      found.set(keyOf({ kind, id }), facts);
  }
  return found;
}

const unknownFacts = { teams: [], labels: [], updatedAt: '', archived: false, trashed: false };

function keyOf({ kind, id }: Container): string {
  return `${kind} ${id}`;
}

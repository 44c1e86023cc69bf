import type { RenderedEntity } from '../../entities/entity.ts';
import type { EntityId } from '../../port.ts';
import type { EntityChanges } from '../../sync/change-mirror.ts';
import { isMirrored, kindOf, type MirroredEntity, type MirroredKind } from '../kinds/kinds.ts';
import type { ScopeFacts } from '../kinds/tracker-kind.ts';
import { renderEntity } from '../render/render-entity.ts';
import { fetchEntities, readFacts } from './fetch-entities.ts';
import { lacksDetails, readDetails } from './read-details.ts';
import type { Session } from './session.ts';
import { isInScope } from './tracker-scope.ts';

interface Scoped {
  readonly mirrored: MirroredEntity;
  readonly facts: ScopeFacts;
}

/**
 * Evaluates the scope of fetched entities again, and renders those that are in scope. Those stay as they are whose scope
 * is decided by what the provider refuses. `isUnchanged`: returns whether the mirror has this state of an entity already.
 */
export async function prepareEntities(
  session: Session,
  entities: readonly MirroredEntity[],
  isUnchanged: (mirrored: MirroredEntity) => boolean = () => false,
): Promise<EntityChanges> {
  const facts = await readFacts(session, entities);
  const named = [...facts.values()].flatMap(({ teams }) => teams);
  const scope = await session.scope(named);
  const removed: EntityId[] = [];
  const kept: EntityId[] = [];
  const wanted: Scoped[] = [];
  for (const mirrored of entities) {
    const { kind, entity } = mirrored;
    const own = facts.get(entity.id);
    if (own === undefined) kept.push({ kind, id: entity.id });
    else if (!isInScope(scope, kind, own)) removed.push({ kind, id: entity.id });
    else if (!isUnchanged(mirrored)) wanted.push({ mirrored, facts: own });
  }
  const prepared = await renderAll(session, wanted);
  const { rendered } = prepared;
  const lacking = rendered.filter((each) => isMirrored(each.kind) && lacksDetails(session, each.kind));
  return { rendered, lacking, removed: [...removed, ...prepared.removed], kept };
}

/** Fetches entities of one kind by their ids, and renders those that are in scope. The others are removed. */
export async function fetchPrepared(
  session: Session,
  kind: MirroredKind,
  ids: readonly string[],
): Promise<EntityChanges> {
  const { found, gone } = await fetchEntities(session, kind, ids);
  const prepared = await prepareEntities(session, found);
  return { ...prepared, removed: [...prepared.removed, ...gone.map((id) => ({ kind, id }))] };
}

async function renderAll(
  session: Session,
  scoped: readonly Scoped[],
): Promise<Pick<EntityChanges, 'rendered' | 'removed'>> {
  const rendered: RenderedEntity[] = [];
  const removed: EntityId[] = [];
  for (const [kind, ofKind] of Map.groupBy(scoped, ({ mirrored }) => mirrored.kind)) {
    const detailsOf = await readDetails(
      session,
      kind,
      ofKind.map(({ mirrored }) => mirrored),
    );
    for (const { mirrored, facts } of ofKind) {
      const { id } = mirrored.entity;
      const details = detailsOf(id);
      if (kindOf({ kind }).requests !== undefined && details.needs.length === 0) removed.push({ kind, id });
      else rendered.push({ ...renderEntity(mirrored, details, session.rendering), facts });
    }
  }
  return { rendered, removed };
}

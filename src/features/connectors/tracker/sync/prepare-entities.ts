import { enqueueAll } from '../../../../foundation/jobs/enqueue.ts';
import type { RenderedEntity } from '../../entities/entity.ts';
import { readChildren } from '../../entities/entity-parts.ts';
import {
  forgetTimes,
  keyOf,
  markSeen,
  parentOf,
  readEntities,
  unknownHash,
} from '../../entities/entity-rows.ts';
import { forgetEntities } from '../../entities/forget-entities.ts';
import { mirrorEntities } from '../../entities/mirror-entities.ts';
import type { EntityStore } from '../../entities/open-entity-store.ts';
import type { EntityId } from '../../port.ts';
import { syncPriority } from '../../sync/lanes.ts';
import { isMirrored, kindOf, type MirroredEntity, type MirroredKind } from '../kinds/kinds.ts';
import { renderEntity } from '../render/render-entity.ts';
import { trackerSyncIncremental } from '../tasks.ts';
import { fetchEntities, readFacts } from './fetch-entities.ts';
import { lacksDetails, readDetails } from './read-details.ts';
import type { ScopeFacts } from './scope-facts.ts';
import type { Session } from './session.ts';
import { isInScope } from './tracker-scope.ts';

/** The changes of the mirror by fetched entities. */
export interface Preparation {
  readonly rendered: readonly RenderedEntity[];
  /** Entities that are gone or out of scope. */
  readonly removed: readonly EntityId[];
  /** Entities that stay as they are, because the provider refuses what decides about their scope. */
  readonly kept: readonly EntityId[];
}

interface Scoped {
  readonly mirrored: MirroredEntity;
  readonly facts: ScopeFacts;
}

/**
 * Evaluates the scope of fetched entities again, and renders those that are in scope. `isUnchanged`: returns whether
 * the mirror has this state of an entity already.
 */
export async function prepareEntities(
  session: Session,
  entities: readonly MirroredEntity[],
  isUnchanged: (mirrored: MirroredEntity) => boolean = () => false,
): Promise<Preparation> {
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
  return { rendered: prepared.rendered, removed: [...removed, ...prepared.removed], kept };
}

/** Fetches entities of one kind by their ids, and renders those that are in scope. The others are removed. */
export async function fetchPrepared(
  session: Session,
  kind: MirroredKind,
  ids: readonly string[],
): Promise<Preparation> {
  const { found, gone } = await fetchEntities(session, kind, ids);
  const prepared = await prepareEntities(session, found);
  return { ...prepared, removed: [...prepared.removed, ...gone.map((id) => ({ kind, id }))] };
}

async function renderAll(
  session: Session,
  scoped: readonly Scoped[],
): Promise<Pick<Preparation, 'rendered' | 'removed'>> {
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

/**
 * Queues what was prepared, in the transaction of the store. What belongs to entities whose scope changed is read again,
 * because its own time may be the same. A rebuild leaves files as they are that have parts which are refused now.
 */
export async function applyPreparation(
  store: EntityStore,
  session: Session,
  { rendered, removed, kept }: Preparation,
  changeClass: 'edit' | 'backfill',
): Promise<void> {
  const lacking = rendered.filter(({ kind }) => isMirrored(kind) && lacksDetails(session, kind));
  const whole = changeClass === 'backfill' ? await wholeFiles(store, lacking) : new Set<string>();
  const written = rendered.filter((entity) => !whole.has(keyOf(entity)));
  const rescoped = await mirrorEntities(store, written, changeClass);
  // They are read again when the provider gives out what they lack.
  await forgetTimes(store, lacking);
  const { tx, connectionId } = store;
  const belonging = (await readChildren(store, rescoped)).filter(({ path }) => path !== null);
  const changes = belonging.map(({ kind, id }) => ({ connectionId, kind, id }));
  await enqueueAll(tx, trackerSyncIncremental, changes, { priorityOf: () => syncPriority[changeClass] });
  await forgetEntities(store, removed, changeClass);
  await markSeen(store, [...kept, ...lacking]);
}

/** Returns those of the entities, by `keyOf`, whose files have parts such as comments and wait for a rebuild. */
async function wholeFiles(store: EntityStore, entities: readonly EntityId[]): Promise<ReadonlySet<string>> {
  const rows = [...(await readEntities(store, entities)).values()];
  const children = await readChildren(
    store,
    rows.filter(({ hash }) => hash === unknownHash),
  );
  const parents = children.map((row) => (row.path === null ? parentOf(row) : undefined));
  return new Set(parents.flatMap((parent) => (parent === undefined ? [] : keyOf(parent))));
}

import { parseJsonColumn } from '../../../../foundation/db/json-column.ts';
import type { RenderedEntity } from '../../entities/entity.ts';
import { keyOf, readEntities } from '../../entities/entity-store.ts';
import type { EntityId } from '../../port.ts';
import { type EntityChanges, storedIn } from '../../sync/change-mirror.ts';
import type { EntityShape, Family } from '../kinds/family.ts';
import { kindOf } from '../kinds/kinds.ts';
import { comment, customerNeed, type Need, ownerIn } from '../kinds/part-kinds.ts';
import {
  type EntityDetails,
  type Filter,
  type ScopeFacts,
  scopeFactsShape,
  type TrackerEntity,
  type TrackerKind,
} from '../kinds/tracker-kind.ts';
import { renderEntity } from '../render/render-entity.ts';
import type { Session } from './session.ts';
import { factsOf, isInScope } from './tracker-scope.ts';

/**
 * Evaluates the scope of fetched entities again, and renders those that are in scope. Those stay as they are whose
 * scope is decided by what the provider refuses. `isUnchanged`: returns whether the mirror has this state of an entity
 * already.
 */
export async function prepareEntities(
  session: Session,
  kind: TrackerKind,
  entities: readonly TrackerEntity[],
  isUnchanged: (entity: TrackerEntity) => boolean = () => false,
) {
  const facts = await readFacts(session, kind, entities);
  const scope = await session.scope([...facts.values()].flatMap(({ teams }) => teams));
  const removed: EntityId[] = [];
  const kept: EntityId[] = [];
  const wanted: TrackerEntity[] = [];
  for (const entity of entities) {
    const own = facts.get(entity.id);
    const id = { kind: kind.name, id: entity.id };
    if (own === undefined) kept.push(id);
    else if (!isInScope(scope, kind, own)) removed.push(id);
    else if (!isUnchanged(entity)) wanted.push(entity);
  }
  const rendered: RenderedEntity[] = [];
  const detailsOf = await readDetails(session, kind, wanted);
  for (const entity of wanted) {
    const { id } = entity;
    const details = detailsOf(id);
    if (kind.requests !== undefined && details.needs.length === 0) removed.push({ kind: kind.name, id });
    else rendered.push({ ...renderEntity(kind, entity, details, session.rendering), facts: facts.get(id) });
  }
  return { rendered, lacking: lacksDetails(session, kind) ? rendered : [], removed, kept };
}

/** Fetches entities of one kind by their ids, and renders those that are in scope. The others are removed. */
export async function fetchPrepared(
  session: Session,
  kind: TrackerKind,
  ids: readonly string[],
): Promise<EntityChanges> {
  const found = await session.client.findMany(kind, ids);
  const seen = new Set(found.map(({ id }) => id));
  const gone = ids.filter((id) => !seen.has(id)).map((id) => ({ kind: kind.name, id }));
  const prepared = await prepareEntities(session, kind, found);
  return { ...prepared, removed: [...prepared.removed, ...gone] };
}

/** Maximum number of documents that lie in each other. What lies deeper, or in a circle, is not mirrored. */
const maxDepth = 10;

/**
 * Returns the facts of each entity, by its id, without those that nothing is known of because the provider refuses what
 * they belong to. Fetches the entities that they belong to, `depth` levels deep so far.
 */
async function readFacts(
  session: Session,
  kind: TrackerKind,
  entities: readonly TrackerEntity[],
  depth = 0,
): Promise<ReadonlyMap<string, ScopeFacts>> {
  const facts = new Map<string, ScopeFacts>();
  const containersOf = (entity: TrackerEntity) => kind.containersOf?.(entity) ?? [];
  const wanted = depth > maxDepth ? [] : entities.flatMap(containersOf);
  const known = await readContainers(session, wanted, depth + 1);
  for (const entity of entities) {
    const containers = containersOf(entity).map((container) => known.get(keyOf(container)));
    const decided = containers.filter((container) => container !== 'unknown');
    if (decided.length === containers.length) facts.set(entity.id, factsOf(kind, entity, decided));
  }
  return facts;
}

/**
 * Returns the facts of containers by `keyOf`, without those that are gone. Of a family that the provider refuses, they
 * are those of the mirror.
 */
async function readContainers(
  session: Session,
  containers: readonly EntityId[],
  depth = 1,
): Promise<ReadonlyMap<string, ScopeFacts | 'unknown'>> {
  const all = new Map<string, ScopeFacts | 'unknown'>();
  for (const [name, ofKind] of Map.groupBy(containers, (container) => container.kind)) {
    if (session.refusals.refused.has(name)) {
      const stored = await readEntities(storedIn(session.mirror), ofKind);
      for (const key of ofKind.map(keyOf))
        all.set(key, parseJsonColumn(scopeFactsShape, stored.get(key)?.facts ?? null) ?? 'unknown');
      continue;
    }
    const kind = kindOf(name)!;
    const ids = ofKind.map(({ id }) => id);
    const found = await session.client.findMany(kind, ids);
    const facts = await readFacts(session, kind, found, depth);
    for (const { id } of found) all.set(keyOf({ kind: name, id }), facts.get(id) ?? 'unknown');
  }
  return all;
}

/**
 * Returns the details of entities of one kind by their ids. Lists of all of them cost one query in place of one for
 * each entity.
 */
async function readDetails(
  session: Session,
  kind: TrackerKind,
  entities: readonly TrackerEntity[],
): Promise<(id: string) => EntityDetails> {
  const { client, configuration, refusals } = session;
  const ids = { in: entities.map(({ id }) => id) };
  const read = async <Shape extends EntityShape>(part: Family<Shape>, filter: Filter | undefined) =>
    filter === undefined || entities.length === 0 ? [] : client.listAll(part, filter);
  const hasComments = configuration.content.comments && !refusals.refused.has('comment');
  const comments = await read(comment, hasComments ? kind.comments?.(ids) : undefined);
  const needs = await needsInScope(session, await read(customerNeed, kind.requests?.(ids)));
  const byOwner = <Part extends object>(parts: readonly Part[]) =>
    Map.groupBy(parts, (part) => ownerIn(part, kind.name));
  const [commentsOf, needsOf] = [byOwner(comments), byOwner(needs)];
  return (id) => ({ comments: commentsOf.get(id) ?? [], needs: needsOf.get(id) ?? [] });
}

/** Returns whether entities of a kind are rendered without comments because the provider does not give them out. */
export function lacksDetails({ configuration, refusals }: Session, kind: TrackerKind): boolean {
  return configuration.content.comments && refusals.refused.has('comment') && kind.comments !== undefined;
}

/** Returns the requests that are mirrored, because what they are about is in scope, too. */
async function needsInScope(session: Session, needs: readonly Need[]): Promise<readonly Need[]> {
  const subjects = await readContainers(session, needs.flatMap(subjectOf));
  const scope = await session.scope();
  return needs.filter((need) => {
    const [subject] = subjectOf(need);
    if (subject === undefined) return scope.isWorkspace;
    const facts = subjects.get(keyOf(subject));
    return facts !== undefined && facts !== 'unknown' && isInScope(scope, kindOf(subject.kind)!, facts);
  });
}

function subjectOf({ issue, project }: Need): EntityId[] {
  if (issue !== undefined) return [{ kind: 'issue', id: issue.id }];
  return project === undefined ? [] : [{ kind: 'project', id: project.id }];
}

import { parseJsonColumn } from '../../../../foundation/db/json-column.ts';
import type { RenderedEntity } from '../../entities/entity.ts';
import { keyOf, readEntities } from '../../entities/entity-store.ts';
import type { EntityId } from '../../port.ts';
import { type EntityChanges, storedIn } from '../../sync/change-mirror.ts';
import type { Entity, Kind } from '../client/queries.ts';
import { isMirrored, kindOf, type MirroredEntity, type MirroredKind } from '../kinds/kinds.ts';
import {
  type Container,
  type EntityDetails,
  type ScopeFacts,
  scopeFactsShape,
} from '../kinds/tracker-kind.ts';
import { renderEntity } from '../render/render-entity.ts';
import type { Session } from './session.ts';
import { containersOf, factsOf, isInScope } from './tracker-scope.ts';

interface Scoped {
  readonly mirrored: MirroredEntity;
  readonly facts: ScopeFacts;
}

/**
 * Evaluates the scope of fetched entities again, and renders those that are in scope. Those stay as they are whose
 * scope is decided by what the provider refuses. `isUnchanged`: returns whether the mirror has this state of an entity
 * already.
 */
export async function prepareEntities(
  session: Session,
  entities: readonly MirroredEntity[],
  isUnchanged: (mirrored: MirroredEntity) => boolean = () => false,
) {
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
): Promise<Required<Pick<EntityChanges, 'rendered' | 'removed'>>> {
  const rendered: RenderedEntity[] = [];
  const removed: EntityId[] = [];
  for (const [kind, ofKind] of Map.groupBy(scoped, ({ mirrored }) => mirrored.kind)) {
    const ids = ofKind.map(({ mirrored }) => mirrored.entity.id);
    const detailsOf = await readDetails(session, kind, ids);
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
 * Fetches entities of one kind. One that is missing in the list is asked for once more alone, and so is one that the
 * provider returned in part. `gone`: ids of those that were deleted, or are hidden from the account.
 */
async function fetchEntities({ client }: Session, kind: MirroredKind, ids: readonly string[]) {
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
async function readFacts(
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
async function readContainers(
  session: Session,
  containers: readonly Container[],
  depth = 1,
): Promise<ReadonlyMap<string, ScopeFacts | 'unknown'>> {
  const all = new Map<string, ScopeFacts | 'unknown'>();
  for (const [kind, ofKind] of Map.groupBy(containers, (container) => container.kind)) {
    if (session.refusals.refused.has(kind)) {
      const stored = await readEntities(storedIn(session.mirror), ofKind);
      for (const container of ofKind) {
        const facts = parseJsonColumn(scopeFactsShape, stored.get(keyOf(container))?.facts ?? null);
        all.set(keyOf(container), facts ?? 'unknown');
      }
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

/**
 * Returns the details of entities of one kind by their ids. Lists of all of them cost one query in place of one for
 * each entity.
 */
async function readDetails(
  session: Session,
  kind: MirroredKind,
  ids: readonly string[],
): Promise<(id: string) => EntityDetails> {
  const { content } = session.configuration;
  const hasComments = content.comments && !session.refusals.refused.has('comment');
  const comments = hasComments ? await readComments(session, kind, ids) : new Map();
  const needs = await readNeeds(session, kind, ids);
  return (id) => ({ comments: comments.get(id) ?? [], needs: needs.get(id) ?? [] });
}

/** Returns whether entities of a kind are rendered without comments because the provider does not give them out. */
export function lacksDetails({ configuration, refusals }: Session, kind: MirroredKind): boolean {
  const isRefused = configuration.content.comments && refusals.refused.has('comment');
  return isRefused && kindOf({ kind }).comments !== undefined;
}

async function readComments(
  session: Session,
  kind: MirroredKind,
  ids: readonly string[],
): Promise<ReadonlyMap<string | undefined, readonly Entity<'comment'>[]>> {
  const known = kindOf({ kind }).comments;
  if (known === undefined || ids.length === 0) return new Map();
  const comments = await readAll(session, 'comment', known.filter({ in: ids }));
  return Map.groupBy(comments, known.ownerOf);
}

/** Reads the requests by their owners. One is mirrored if what it is about is in scope, too. */
async function readNeeds(
  session: Session,
  kind: MirroredKind,
  ids: readonly string[],
): Promise<ReadonlyMap<string | undefined, readonly Entity<'customer-need'>[]>> {
  const known = kindOf({ kind }).requests;
  if (known === undefined || ids.length === 0) return new Map();
  const needs = await readAll(session, 'customer-need', known.filter({ in: ids }));
  const subjects = await readContainers(session, needs.flatMap(subjectOf));
  const scope = await session.scope();
  const wanted = needs.filter((need) => {
    const [subject] = subjectOf(need);
    if (subject === undefined) return scope.isWorkspace;
    const facts = subjects.get(keyOf(subject));
    return facts !== undefined && facts !== 'unknown' && isInScope(scope, subject.kind, facts);
  });
  return Map.groupBy(wanted, known.ownerOf);
}

function subjectOf({ issue, project }: Entity<'customer-need'>): Container[] {
  if (issue !== undefined) return [{ kind: 'issue', id: issue.id }];
  return project === undefined ? [] : [{ kind: 'project', id: project.id }];
}

/** Reads a whole list. @throws Unavailable if the provider returns one of its items in part */
async function readAll<K extends 'comment' | 'customer-need'>(
  { client }: Session,
  kind: K,
  filter: Readonly<Record<string, unknown>>,
): Promise<readonly Entity<K>[]> {
  const { items, incomplete } = await client.listAll(kind, filter);
  const completed: Entity<K>[] = [];
  for (const id of incomplete) {
    const item = await client.find(kind, id);
    if (item !== undefined) completed.push(item);
  }
  return [...new Map([...items, ...completed].map((item) => [item.id, item])).values()];
}

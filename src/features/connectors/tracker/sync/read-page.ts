import { z } from 'zod';
import {
  forgetTimes,
  keyOf,
  parentOf,
  readEntities,
  type StoredEntity,
} from '../../entities/entity-store.ts';
import { findReferring } from '../../entities/link-targets.ts';
import type { ConnectorJobsDeps } from '../../port.ts';
import { type EntityChanges, storedIn } from '../../sync/change-mirror.ts';
import { isProviderError } from '../../sync/provider-error.ts';
import type { FamilyPage, PageRequest } from '../../sync/source.ts';
import { isOfAll } from '../../sync/sync-state.ts';
import type { Page } from '../client/tracker-client.ts';
import { isPart } from '../kinds/kinds.ts';
import { type PartKind, parentsOfPart } from '../kinds/part-kinds.ts';
import type { Filter, TrackerEntity, TrackerKind } from '../kinds/tracker-kind.ts';
import { noteMissedEvents } from './missed-events.ts';
import { lacksDetails, prepareEntities } from './prepare-entities.ts';
import type { Session } from './session.ts';
import { filterOf, resolveScope } from './tracker-scope.ts';

/**
 * Changes are read again from this long before the latest one that was read, because times may be committed out of
 * order.
 */
const overlapMs = 5 * 60_000;
/** Maximum number of times that a list is read again from its start before the job fails. */
const maxRestarts = 5;

const positionShape = z.object({
  cursor: z.string().optional(),
  /** Latest change in the first page: later ones may be missing in the other pages. */
  newest: z.string().optional(),
  /** Number of times that the provider refused a cursor. */
  restarts: z.number(),
});

/** A place in a list. */
type Position = z.output<typeof positionShape>;

interface Reading extends PageRequest {
  readonly position: Position;
}

/** Reads a page of a family. A list whose cursor is refused is read again from its start. */
export async function readPage(
  { clock }: Pick<ConnectorJobsDeps, 'clock'>,
  session: Session,
  family: PartKind | TrackerKind,
  request: PageRequest,
): Promise<FamilyPage> {
  const position = positionShape.parse(request.cursor ?? { restarts: 0 });
  const reading = { ...request, position };
  try {
    if (request.mode === 'sweep' && (isPart(family) || family.isSweptWhole !== true))
      return await sweepPage(session, family, reading);
    if (isPart(family)) return await readParts(session, family, reading);
    return await readEntityPage(session, family, reading, clock());
  } catch (error) {
    const { cursor, restarts, ...rest } = position;
    if (!isProviderError(error, 'cursor_refused') || cursor === undefined || restarts >= maxRestarts)
      throw error;
    return { next: { ...rest, restarts: restarts + 1 } };
  }
}

async function readEntityPage(
  session: Session,
  kind: TrackerKind,
  reading: Reading,
  now: number,
): Promise<FamilyPage> {
  const { mode, position, readUpTo } = reading;
  const filter = await filterFor(session, kind, reading);
  const page = await session.list(kind, { filter, cursor: position.cursor });
  const { idOf, stored, rowOf } = await readStored(session, kind.name, page.items);
  // Requests follow the scope, whatever the time of the entity's own change.
  const isReadAgain = isOfAll(reading) || (kind.requests !== undefined && mode === 'added');
  // It begins first, so that its requests come before that of the next page.
  const preparing = prepareEntities(
    session,
    kind,
    page.items,
    ({ id, updatedAt }) => !isReadAgain && rowOf(id)?.updated_at === updatedAt,
  );
  const isNextRead = session.readAhead(kind, { filter, cursor: page.nextCursor });
  const prepared = await preparing;
  const edits = page.incomplete.map(idOf);
  const renamed = mode === 'sweep' ? renamedItems(prepared, stored) : [];
  const isAnnounced = mode === 'changes' && readUpTo !== undefined && kind.withoutEvents !== true;
  // An entity whose time was forgotten is only read again.
  const changed = prepared.rendered.filter((each) => stored.get(keyOf(each))?.updated_at !== null);
  const teams = await session.teams();
  return {
    changes: { ...prepared, edits },
    ...afterPage(position, page),
    isNextRead,
    async apply(store) {
      if (isAnnounced) await noteMissedEvents(store, changed, teams, now);
      // The lists come first in a sweep, so that it reads what mentions their items.
      await forgetTimes(store, await findReferring(store, renamed));
    },
  };
}

/** Returns what the mirror has of the items of a page: `stored` by `keyOf`, and what finds one by its id. */
async function readStored({ mirror }: Session, kind: string, items: readonly { readonly id: string }[]) {
  const idOf = (id: string) => ({ kind, id });
  const ids = items.map(({ id }) => idOf(id));
  const stored = await readEntities(storedIn(mirror), ids);
  return { idOf, stored, rowOf: (id: string) => stored.get(keyOf(idOf(id))) };
}

/** Returns the items of lists that have other values than the mirror, as records mention them. */
function renamedItems(
  { rendered = [] }: EntityChanges,
  stored: ReadonlyMap<string, StoredEntity>,
): readonly string[] {
  return rendered.flatMap((entity) => {
    const { content } = entity;
    const former = stored.get(keyOf(entity))?.item;
    if (!('list' in content) || former === undefined || former === JSON.stringify(content.item)) return [];
    return `${content.list} ${entity.id}`;
  });
}

/** Returns where a list goes on, or where its next changes begin. */
function afterPage(
  { cursor, newest, restarts }: Position,
  { items, nextCursor }: Page<Pick<TrackerEntity, 'updatedAt'>>,
): Pick<FamilyPage, 'next' | 'readUpTo'> {
  const times = items.map(({ updatedAt }) => updatedAt).toSorted();
  // An entity that changes while the pages are read moves to the first one, which is not read again.
  const latest = cursor === undefined ? (times.at(-1) ?? newest) : newest;
  if (nextCursor === undefined) return { readUpTo: latest };
  return { next: { cursor: nextCursor, newest: latest, restarts } satisfies Position };
}

/**
 * Compares a page of times with the mirror. Entities with another time are fetched in the next steps; a part of another
 * file lets the jobs of edits fetch the file.
 */
async function sweepPage(
  session: Session,
  family: PartKind | TrackerKind,
  { position, readUpTo = '' }: Reading,
): Promise<FamilyPage> {
  const { client, configuration } = session;
  const scope = await session.scope();
  const filter = isPart(family) ? {} : filterOf(scope, family, scope.teams);
  // An entity of the mirror that was archived meanwhile is missing in the list and therefore fetched.
  const includeArchived = isPart(family) || configuration.scope.includeArchived;
  const page = await client.times(family, { filter, cursor: position.cursor, includeArchived });
  const { idOf, stored, rowOf } = await readStored(session, family.name, page.items);
  const kept = page.items.flatMap(({ id }) => (rowOf(id) === undefined ? [] : idOf(id)));
  const readFrom = readUpTo === '' ? '' : changesFrom(readUpTo);
  const after = afterPage(position, page);
  if (isPart(family)) {
    const edits = page.items.flatMap(({ id, updatedAt }) => {
      const row = rowOf(id);
      if (row === undefined) return updatedAt >= readFrom ? idOf(id) : [];
      return updatedAt > readUpTo ? (parentOf(row) ?? []) : [];
    });
    return { ...after, changes: { edits, kept } };
  }
  const isFollowed = await readFollowed(session, family, [...stored.values()]);
  const isKnown = (id: string, updatedAt: string): boolean => {
    const row = rowOf(id);
    // It was out of scope when its last change was read, and the list leaves out too little.
    if (row === undefined)
      return family.scope.isLimited?.(configuration.scope) === true && updatedAt < readFrom;
    const isSame = row.updated_at === updatedAt || (row.updated_at === null && lacksDetails(session, family));
    return isSame && isFollowed(row);
  };
  const changed = page.items.flatMap(({ id, updatedAt }) => (isKnown(id, updatedAt) ? [] : id));
  return { ...after, changes: { kept }, changed };
}

/**
 * Returns a function that tells whether a stored entity is read again when what decides about its scope changes: its
 * kind belongs to nothing, or it belongs to something mirrored (`applyChanges`).
 */
async function readFollowed(
  { mirror }: Session,
  { containersOf }: TrackerKind,
  rows: readonly StoredEntity[],
): Promise<(row: StoredEntity) => boolean> {
  if (containersOf === undefined) return () => true;
  const parents = rows.flatMap((row) => parentOf(row) ?? []);
  const stored = await readEntities(storedIn(mirror), parents);
  return (row) => {
    const parent = parentOf(row);
    return parent !== undefined && stored.get(keyOf(parent))?.facts != null;
  };
}

async function filterFor(
  session: Session,
  kind: TrackerKind,
  { mode, readUpTo, added }: Reading,
): Promise<Filter> {
  if (mode === 'changes') return changesSince(readUpTo);
  const scope = await session.scope();
  if (added === undefined) return filterOf(scope, kind, scope.teams);
  const { configuration } = session;
  const teams = z.array(z.string()).parse(added);
  const ofAdded = { ...configuration, scope: { ...configuration.scope, teams } };
  return filterOf(scope, kind, resolveScope(ofAdded, await session.teams()).teams);
}

/** Returns the filter for later changes. Equal times are no problem: the pages of a list are read by its cursor. */
function changesSince(latest: string | undefined): Filter {
  return latest === undefined ? {} : { updatedAt: { gte: changesFrom(latest) } };
}

function changesFrom(latest: string): string {
  return new Date(Date.parse(latest) - overlapMs).toISOString();
}

/**
 * Reads changed parts of other files, such as comments: their parents are fetched again. A full run reads their parents
 * anyway and only needs to know where the changes after it begin.
 */
async function readParts(
  session: Session,
  part: PartKind,
  { mode, position, readUpTo }: Reading,
): Promise<FamilyPage> {
  const isFull = mode === 'full';
  const filter = isFull ? {} : changesSince(readUpTo);
  const page = await session.client.list(part, { filter, cursor: position.cursor });
  if (isFull) {
    const { readUpTo: latest } = afterPage(position, { ...page, nextCursor: undefined });
    return { readUpTo: latest, isPartial: true };
  }
  const { idOf, rowOf } = await readStored(session, part.name, page.items);
  // The list begins with changes that were read the last time.
  const isKnown = ({ id, updatedAt }: TrackerEntity) => rowOf(id)?.updated_at === updatedAt;
  const parents = page.items.flatMap((item) => (isKnown(item) ? [] : parentsOfPart(part, item)));
  return { changes: { edits: [...parents, ...page.incomplete.map(idOf)] }, ...afterPage(position, page) };
}

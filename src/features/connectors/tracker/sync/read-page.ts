import { keyOf, parentOf, readEntities, type StoredEntity } from '../../entities/entity-rows.ts';
import { unseenEntities, unseenParts } from '../../entities/forget-entities.ts';
import type { ConnectorJobsDeps } from '../../port.ts';
import { type EntityChanges, noChanges } from '../../sync/apply-changes.ts';
import { storedIn } from '../../sync/change-mirror.ts';
import { pageSize } from '../client/queries.ts';
import { TrackerError } from '../client/tracker-error.ts';
import { isMirrored, kindOf, type MirroredKind } from '../kinds/kinds.ts';
import { type PartKind, parentsOfPart } from '../kinds/part-kinds.ts';
import { mirroredOf } from './fetch-entities.ts';
import { type MissedEvents, missedEvents } from './missed-events.ts';
import { fetchPrepared, prepareEntities } from './prepare-entities.ts';
import { lacksDetails } from './read-details.ts';
import type { Session } from './session.ts';
import { isOfAll, type SyncState, type SyncWork } from './sync-state.ts';
import { filterOf, resolveScope } from './tracker-scope.ts';

/** One page of the current kind, and where the next one begins. */
export interface SyncPage {
  readonly changes: EntityChanges;
  /** Items of lists whose values changed, such as `users 5d0e`. What mentions them is to be read again. */
  readonly renamed: readonly string[];
  readonly missed: MissedEvents;
  readonly work: SyncWork;
  /** True if the current kind was read to its end. */
  readonly isComplete: boolean;
}

const nothing = {
  changes: noChanges,
  renamed: [],
  missed: { isSilent: false, privateTeams: [] },
} as const;

/**
 * Changes are read again from this long before the latest one that was read, because times may be committed out of
 * order.
 */
const overlapMs = 5 * 60_000;
/** Maximum number of times that a list is read again from its start before the job fails. */
const maxRestarts = 5;

/** What a run reads now, and how far it is. */
interface Reading<K extends MirroredKind | PartKind> {
  readonly kind: K;
  readonly state: SyncState;
  readonly work: SyncWork;
}

/** Reads the next page of a run. A list whose cursor is refused is read again from its start. */
export async function readPage(
  { clock }: Pick<ConnectorJobsDeps, 'clock'>,
  session: Session,
  { kind, state, work }: Reading<MirroredKind | PartKind>,
): Promise<SyncPage> {
  if (isMirrored(kind) && work.changed.length > 0) return readChanged(session, kind, work);
  if (work.step === 'missing') return readMissing(session, kind, work);
  try {
    if (work.mode === 'sweep' && !(isMirrored(kind) && kindOf({ kind }).isSweptWhole === true)) {
      return await sweepPage(session, { kind, state, work });
    }
    if (!isMirrored(kind)) return await readParts(session, { kind, state, work });
    return await readEntityPage(session, { kind, state, work }, clock());
  } catch (error) {
    const isRefused = error instanceof TrackerError && error.reason === 'cursor_refused';
    if (!isRefused || work.cursor === undefined || work.restarts >= maxRestarts) throw error;
    const { cursor: _cursor, ...rest } = work;
    return { ...nothing, work: { ...rest, restarts: work.restarts + 1 }, isComplete: false };
  }
}

async function readEntityPage(
  session: Session,
  { kind, state, work }: Reading<MirroredKind>,
  now: number,
): Promise<SyncPage> {
  const page = await session.client.list(
    kind,
    { filter: await filterFor(session, { kind, state, work }), cursor: work.cursor },
    session,
  );
  const entities = page.items.map((entity) => mirroredOf(kind, entity));
  const ids = entities.map(({ entity }) => ({ kind, id: entity.id }));
  const stored = await readEntities(storedIn(session.mirror), ids);
  const prepared = await prepareEntities(
    session,
    entities,
    ({ entity }) =>
      !isOfAll(work) &&
      // Requests follow the scope, whatever the time of the entity's own change.
      !(kindOf({ kind }).requests !== undefined && work.mode === 'added') &&
      stored.get(keyOf({ kind, id: entity.id }))?.updated_at === entity.updatedAt,
  );
  const edits = page.incomplete.map((id) => ({ kind, id }));
  const renamed = work.mode === 'sweep' ? renamedItems(prepared, stored) : [];
  const isRepeated = work.mode === 'changes' && state.readUpTo[kind] !== undefined;
  // An entity whose time was forgotten is only read again.
  const changed = prepared.rendered.filter((each) => stored.get(keyOf(each))?.updated_at !== null);
  const missed = missedEvents(isRepeated ? changed : [], await session.teams(), now);
  return { ...nothing, changes: { ...prepared, edits }, renamed, missed, ...afterList(work, page) };
}

/** Returns the items of lists that have other values than the mirror, as records mention them. */
function renamedItems(
  { rendered }: EntityChanges,
  stored: ReadonlyMap<string, StoredEntity>,
): readonly string[] {
  return rendered.flatMap((entity) => {
    const { content } = entity;
    const former = stored.get(keyOf(entity))?.item;
    if (!('list' in content) || former === undefined || former === JSON.stringify(content.item)) return [];
    return `${content.list} ${entity.id}`;
  });
}

/** Returns the work after a page, and whether the current kind is done. */
function afterList(work: SyncWork, page: ListedPage): Pick<SyncPage, 'work' | 'isComplete'> {
  const next = nextWork(work, page);
  if (next.cursor !== undefined) return { work: next, isComplete: false };
  return isOfAll(work)
    ? { work: { ...next, step: 'missing' }, isComplete: false }
    : { work: next, isComplete: true };
}

/**
 * Compares a page of times with the mirror. Entities with another time are fetched in the next steps; a part of another
 * file lets the jobs of edits fetch the file.
 */
async function sweepPage(
  session: Session,
  { kind, state, work }: Reading<MirroredKind | PartKind>,
): Promise<SyncPage> {
  const { client, configuration, mirror } = session;
  const scope = await session.scope();
  const filter = isMirrored(kind) ? filterOf(scope, kind, scope.teams) : {};
  // An entity of the mirror that was archived meanwhile is missing in the list and therefore fetched.
  const includeArchived = !isMirrored(kind) || configuration.scope.includeArchived;
  const page = await client.times(kind, { filter, cursor: work.cursor, includeArchived }, session);
  const ids = page.items.map(({ id }) => ({ kind, id }));
  const stored = await readEntities(storedIn(mirror), ids);
  const kept = ids.filter((id) => stored.has(keyOf(id)));
  const readFrom = changesFrom(state.readUpTo[kind]) ?? '';
  const after = afterList(work, page);
  if (!isMirrored(kind)) {
    const readUpTo = state.readUpTo[kind] ?? '';
    const edits = page.items.flatMap(({ id, updatedAt }) => {
      const row = stored.get(keyOf({ kind, id }));
      if (row === undefined) return updatedAt >= readFrom ? { kind, id } : [];
      return updatedAt > readUpTo ? (parentOf(row) ?? []) : [];
    });
    return { ...nothing, ...after, changes: { ...noChanges, edits, kept } };
  }
  const followed = await readFollowed(session, kind, [...stored.values()]);
  const isKnown = (id: string, updatedAt: string): boolean => {
    const row = stored.get(keyOf({ kind, id }));
    if (row !== undefined) {
      const isSame = row.updated_at === updatedAt || (row.updated_at === null && lacksDetails(session, kind));
      return isSame && followed(row);
    }
    // It was out of scope when its last change was read, and the list leaves out too little.
    return kindOf({ kind }).scope.isLimited?.(configuration.scope) === true && updatedAt < readFrom;
  };
  const changed = page.items.flatMap(({ id, updatedAt }) => (isKnown(id, updatedAt) ? [] : id));
  return { ...nothing, ...after, changes: { ...noChanges, kept }, work: { ...after.work, changed } };
}

/**
 * Returns a function that tells whether a stored entity is read again when what decides about its scope changes: its kind
 * belongs to nothing, or it belongs to something mirrored (`applyChanges`).
 */
async function readFollowed(
  { mirror }: Session,
  kind: MirroredKind,
  rows: readonly StoredEntity[],
): Promise<(row: StoredEntity) => boolean> {
  if (kindOf({ kind }).containersOf === undefined) return () => true;
  const parents = rows.flatMap((row) => parentOf(row) ?? []);
  const stored = await readEntities(storedIn(mirror), parents);
  return (row) => {
    const parent = parentOf(row);
    return parent !== undefined && stored.get(keyOf(parent))?.facts != null;
  };
}

/** Fetches entities that a sweep found to have changed. */
async function readChanged(session: Session, kind: MirroredKind, work: SyncWork): Promise<SyncPage> {
  const changes = await fetchPrepared(session, kind, work.changed.slice(0, pageSize));
  return {
    ...nothing,
    changes,
    work: { ...work, changed: work.changed.slice(pageSize) },
    isComplete: false,
  };
}

async function filterFor(
  session: Session,
  { kind, state, work }: Reading<MirroredKind>,
): Promise<Readonly<Record<string, unknown>>> {
  if (work.mode === 'changes') return changesSince(state.readUpTo[kind]);
  const scope = await session.scope();
  if (work.teams === undefined) return filterOf(scope, kind, scope.teams);
  const { configuration } = session;
  const added = { ...configuration, scope: { ...configuration.scope, teams: work.teams } };
  const { teams } = resolveScope(added, await session.teams());
  return filterOf(scope, kind, teams);
}

/** Equal times are no problem: the pages of one list are read by its cursor. */
function changesSince(latest: string | undefined): Readonly<Record<string, unknown>> {
  const from = changesFrom(latest);
  return from === undefined ? {} : { updatedAt: { gte: from } };
}

function changesFrom(latest: string | undefined): string | undefined {
  return latest === undefined ? undefined : new Date(Date.parse(latest) - overlapMs).toISOString();
}

interface ListedPage {
  readonly items: readonly { readonly updatedAt: string }[];
  readonly nextCursor: string | undefined;
}

function nextWork(work: SyncWork, { items, nextCursor }: ListedPage): SyncWork {
  const { cursor, newest, ...rest } = work;
  const isFirst = cursor === undefined;
  // What changes while the pages are read moves to the first one, which is not read again.
  const latest = isFirst
    ? (items
        .map(({ updatedAt }) => updatedAt)
        .toSorted()
        .at(-1) ?? newest)
    : newest;
  return {
    ...rest,
    ...(latest !== undefined && { newest: latest }),
    ...(nextCursor !== undefined && { cursor: nextCursor }),
  };
}

/** Fetches entities again that the lists did not contain: they are gone, out of scope, or changed meanwhile. */
async function readMissing(
  session: Session,
  kind: MirroredKind | PartKind,
  work: SyncWork,
): Promise<SyncPage> {
  const place = storedIn(session.mirror);
  if (!isMirrored(kind)) {
    const parts = await unseenParts(place, kind, work.startedAt, pageSize);
    const edits = parts.map(({ parent }) => parent);
    const kept = parts.map(({ id }) => ({ kind, id }));
    const changes = { ...noChanges, edits, kept };
    return { ...nothing, changes, work, isComplete: parts.length === 0 };
  }
  const ids = await unseenEntities(place, kind, work.startedAt, pageSize);
  if (ids.length === 0) return { ...nothing, work, isComplete: true };
  return { ...nothing, changes: await fetchPrepared(session, kind, ids), work, isComplete: false };
}

/**
 * Reads changed parts of other files, such as comments: their parents are fetched again. A full run reads their parents
 * anyway and only needs to know where the changes after it begin.
 */
async function readParts(session: Session, { kind, state, work }: Reading<PartKind>): Promise<SyncPage> {
  const isFull = work.mode === 'full';
  const filter = isFull ? {} : changesSince(state.readUpTo[kind]);
  const page = await session.client.list(kind, { filter, cursor: work.cursor }, session);
  const next = nextWork(work, page);
  if (isFull) return { ...nothing, work: next, isComplete: true };
  const parents = page.items.flatMap((item) => parentsOfPart(kind, item));
  const incomplete = page.incomplete.map((id) => ({ kind, id }));
  return {
    ...nothing,
    changes: { ...noChanges, edits: [...parents, ...incomplete] },
    work: next,
    isComplete: next.cursor === undefined,
  };
}

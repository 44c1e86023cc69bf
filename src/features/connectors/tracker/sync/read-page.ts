import { keyOf, readEntities } from '../../entities/entity-rows.ts';
import { unseenEntities } from '../../entities/forget-entities.ts';
import type { ConnectorJobsDeps, EntityId } from '../../port.ts';
import { pageSize } from '../client/queries.ts';
import type { Entity, Kind } from '../client/shapes.ts';
import { TrackerError } from '../client/tracker-error.ts';
import { isMirrored, type MirroredKind } from '../kinds/kinds.ts';
import { fetchEntities, mirroredOf } from './fetch-entities.ts';
import { parentsOfComment, parentsOfNeed } from './part-parents.ts';
import { type Preparation, prepareEntities } from './prepare-entities.ts';
import type { Session } from './session.ts';
import type { PartKind, SyncState, SyncWork } from './sync-state.ts';
import { filterOf, resolveScope } from './tracker-scope.ts';

/** One page of the current kind, and where the next one begins. */
export interface SyncPage {
  readonly preparation: Preparation;
  /** Entities that the jobs of edits fetch. */
  readonly edits: readonly EntityId[];
  readonly work: SyncWork;
  /** True if the current kind was read to its end. */
  readonly isComplete: boolean;
}

const nothing: Preparation = { rendered: [], removed: [] };
/**
 * Changes are read again from this long before the latest one that was read, because times may be committed out of
 * order.
 */
const overlapMs = 5 * 60_000;
/** Maximum number of times that a list is read again from its start before the job fails. */
const maxRestarts = 5;

/** Reads the next page of a run. A list whose cursor is refused is read again from its start. */
export async function readPage(
  deps: ConnectorJobsDeps,
  session: Session,
  state: SyncState,
  work: SyncWork,
): Promise<SyncPage> {
  const [kind] = work.kinds;
  if (kind === undefined) return { preparation: nothing, edits: [], work, isComplete: true };
  if (isMirrored(kind) && work.step === 'missing') return readMissing(deps, session, kind, work);
  try {
    if (!isMirrored(kind)) return await readParts(session, kind, state, work);
    return await readEntityPage(deps, session, { kind, state, work });
  } catch (error) {
    const isRefused = error instanceof TrackerError && error.reason === 'cursor_refused';
    if (!isRefused || work.cursor === undefined || work.restarts >= maxRestarts) throw error;
    const { cursor: _cursor, ...rest } = work;
    return {
      preparation: nothing,
      edits: [],
      work: { ...rest, restarts: work.restarts + 1 },
      isComplete: false,
    };
  }
}

interface Reading {
  readonly kind: MirroredKind;
  readonly state: SyncState;
  readonly work: SyncWork;
}

async function readEntityPage(
  { database }: ConnectorJobsDeps,
  session: Session,
  { kind, state, work }: Reading,
): Promise<SyncPage> {
  const page = await session.client.list(
    kind,
    { filter: await filterFor(session, { kind, state, work }), cursor: work.cursor },
    session,
  );
  const entities = page.items.map((entity) => mirroredOf(kind, entity));
  const { id: connectionId } = session.connection;
  const ids = entities.map(({ entity }) => ({ kind, id: entity.id }));
  const stored = await readEntities({ tx: database.queries, connectionId }, ids);
  const preparation = await prepareEntities(
    session,
    entities,
    ({ entity }) =>
      work.mode !== 'full' &&
      // The requests of a customer follow the scope, whatever the time of its own change.
      !(kind === 'customer' && work.mode === 'added') &&
      stored.get(keyOf({ kind, id: entity.id }))?.updated_at === entity.updatedAt,
  );
  const next = nextWork(work, page);
  const edits = page.incomplete.map((id) => ({ kind, id }));
  if (next.cursor !== undefined || work.mode !== 'full') {
    return { preparation, edits, work: next, isComplete: next.cursor === undefined };
  }
  return { preparation, edits, work: { ...next, step: 'missing' }, isComplete: false };
}

async function filterFor(
  session: Session,
  { kind, state, work }: Reading,
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
  if (latest === undefined) return {};
  return { updatedAt: { gte: new Date(Date.parse(latest) - overlapMs).toISOString() } };
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
  { database }: ConnectorJobsDeps,
  session: Session,
  kind: MirroredKind,
  work: SyncWork,
): Promise<SyncPage> {
  const { id: connectionId } = session.connection;
  const ids = await unseenEntities({ tx: database.queries, connectionId }, kind, work.startedAt, pageSize);
  if (ids.length === 0) return { preparation: nothing, edits: [], work, isComplete: true };
  const { found, gone } = await fetchEntities(session, kind, ids);
  const prepared = await prepareEntities(session, found);
  const removed = [...prepared.removed, ...gone.map((id) => ({ kind, id }))];
  return { preparation: { ...prepared, removed }, edits: [], work, isComplete: false };
}

/**
 * Reads changed parts of other files, such as comments: their parents are fetched again. A full run reads their parents
 * anyway and only needs to know where the changes after it begin.
 */
async function readParts(
  session: Session,
  kind: PartKind,
  state: SyncState,
  work: SyncWork,
): Promise<SyncPage> {
  const isFull = work.mode === 'full';
  const filter = isFull ? {} : changesSince(state.readUpTo[kind]);
  const page = await session.client.list(kind, { filter, cursor: work.cursor }, session);
  const next = nextWork(work, page);
  if (isFull) return { preparation: nothing, edits: [], work: next, isComplete: true };
  const parents = page.items.flatMap((item) => parentsOf(kind, item));
  const incomplete = page.incomplete.map((id) => ({ kind, id }));
  return {
    preparation: nothing,
    edits: [...parents, ...incomplete],
    work: next,
    isComplete: next.cursor === undefined,
  };
}

function parentsOf(kind: PartKind, item: Entity<Kind>): readonly EntityId[] {
  switch (kind) {
    case 'comment':
      return parentsOfComment(item as Entity<'comment'>);
    case 'customer-need':
      return parentsOfNeed(item as Entity<'customer-need'>);
    case 'attachment':
      return [{ kind: 'issue', id: (item as Entity<'attachment'>).issue.id }];
  }
}

import type { Database } from '../../../foundation/db/database.ts';
import { enqueueAll } from '../../../foundation/jobs/enqueue.ts';
import type { JobContext } from '../../../foundation/jobs/handler.ts';
import type { Task } from '../../../foundation/jobs/task.ts';
import type { ConnectionId, MirrorTargetId } from '../../../foundation/kernel/ids.ts';
import { rebuildOf, startRebuild } from '../../mirror/file-store.ts';
import type { ConnectorRecords } from '../../mirror/format/record-kind.ts';
import type { RenderedEntity } from '../entities/entity.ts';
import {
  type EntityStore,
  forgetTimes,
  keyOf,
  markSeen,
  openEntityStore,
  parentOf,
  readChildren,
  readEntities,
  unknownHash,
} from '../entities/entity-store.ts';
import { applyScope, forgetEntities, type ScopedEntity } from '../entities/forget-entities.ts';
import { mirrorEntities } from '../entities/mirror-entities.ts';
import { forgetContents } from '../entities/restore-files.ts';
import type { EntityChange, EntityId, EntityReference } from '../port.ts';
import { syncPriority } from './tasks.ts';

/** The mirror of a connection, as one job changes it. */
export interface JobMirror {
  readonly database: Database;
  readonly connectionId: ConnectionId;
  /** The target that it had when the job began. Absent if the changes fit any. */
  readonly targetId?: MirrorTargetId;
  readonly records: ConnectorRecords;
  readonly context: JobContext;
}

/** Returns the place of what is stored, for reading outside of `changeMirror`. */
export function storedIn({ database, connectionId }: JobMirror): Pick<EntityStore, 'tx' | 'connectionId'> {
  return { tx: database.queries, connectionId };
}

/**
 * Changes what a connection mirrors, in a transaction that fails if the job is no longer held. Does nothing if the
 * connection was removed or has another target by now, because the job began with what was forgotten then.
 */
export async function changeMirror(
  { database, connectionId, targetId, records, context }: JobMirror,
  change: (store: EntityStore) => Promise<void>,
): Promise<void> {
  await database.transaction(async (tx) => {
    await context.assertHeld(tx);
    const store = await openEntityStore(tx, { connectionId, records });
    const isMoved = targetId !== undefined && store?.targetId !== targetId;
    if (store !== undefined && !isMoved) await change(store);
  });
}

/**
 * Forgets all contents and checkpoints if a rebuild was requested. For the jobs that compare, before they read their
 * checkpoint: they are in one lane, so that no job goes on with a former one.
 */
export async function startRequestedRebuild(mirror: JobMirror): Promise<void> {
  if ((await rebuildOf(mirror.database.queries, mirror.connectionId)) !== 'requested') return;
  await changeMirror(mirror, async (store) => {
    await startRebuild(store.tx, store.connectionId);
    await forgetContents(store);
  });
}

/** Removes what a scope leaves out, without a request: the facts are stored. */
export async function removeOutOfScope(
  mirror: JobMirror,
  isInScope: (entity: ScopedEntity) => boolean,
): Promise<void> {
  let after: EntityId | undefined;
  do {
    mirror.context.signal.throwIfAborted();
    const start: EntityId | undefined = after;
    after = undefined;
    await changeMirror(mirror, async (store) => {
      after = await applyScope(store, isInScope, start);
    });
  } while (after !== undefined);
}

/** The changes of the mirror by entities that one job read. Absent: none. */
export interface EntityChanges {
  readonly rendered?: readonly RenderedEntity[];
  /** Those of the rendered ones that lack parts, such as comments, which the provider refuses. */
  readonly lacking?: readonly RenderedEntity[];
  /** Entities that are gone or out of scope. */
  readonly removed?: readonly EntityId[];
  /** Entities that the provider has, and whose files stay as they are. */
  readonly kept?: readonly EntityId[];
  /** Entities that the jobs of edits fetch. */
  readonly edits?: readonly EntityReference[];
}

/**
 * Queues changes in the transaction of the store. What belongs to entities whose scope changed is read again by jobs of
 * `task`, because its own time may be the same. A rebuild leaves files as they are that have parts which are refused
 * now.
 */
export async function applyChanges(
  store: EntityStore,
  task: Task<EntityChange>,
  { rendered = [], lacking = [], removed = [], kept = [], edits = [] }: EntityChanges,
  changeClass: 'edit' | 'backfill',
): Promise<void> {
  const { tx, connectionId } = store;
  const whole = await wholeFiles(store, lacking, changeClass);
  const written = rendered.filter((entity) => !whole.has(keyOf(entity)));
  const rescoped = await mirrorEntities(store, written, changeClass);
  // They are read again when the provider gives out what they lack.
  await forgetTimes(store, lacking);
  const belonging = (await readChildren(store, rescoped)).filter(({ path }) => path !== null);
  const again = belonging.map(({ kind, id }) => ({ connectionId, kind, id }));
  await enqueueAll(tx, task, again, { priorityOf: () => syncPriority[changeClass] });
  await forgetEntities(store, removed, changeClass);
  const edited = edits.map((edit) => ({ connectionId, ...edit }));
  await enqueueAll(tx, task, edited);
  await markSeen(store, [...kept, ...lacking]);
}

/**
 * Returns, by `keyOf`, the entities whose files have parts such as comments and wait for a rebuild. An edit counts only
 * those that did not change since their files were written.
 */
async function wholeFiles(
  store: EntityStore,
  rendered: readonly RenderedEntity[],
  changeClass: 'edit' | 'backfill',
): Promise<ReadonlySet<string>> {
  const stored = await readEntities(store, rendered);
  const waiting = rendered.filter((entity) => {
    const { hash, facts } = stored.get(keyOf(entity)) ?? {};
    return hash === unknownHash && (changeClass === 'backfill' || facts === JSON.stringify(entity.facts));
  });
  const parts = (await readChildren(store, waiting)).filter(({ path }) => path === null);
  return new Set(parts.flatMap((row) => parentOf(row) ?? []).map(keyOf));
}

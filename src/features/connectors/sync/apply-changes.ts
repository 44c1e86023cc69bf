import { enqueueAll } from '../../../foundation/jobs/enqueue.ts';
import type { Task } from '../../../foundation/jobs/task.ts';
import type { RenderedEntity } from '../entities/entity.ts';
import { readChildren } from '../entities/entity-parts.ts';
import {
  forgetTimes,
  keyOf,
  markSeen,
  parentOf,
  readEntities,
  unknownHash,
} from '../entities/entity-rows.ts';
import { forgetEntities } from '../entities/forget-entities.ts';
import { mirrorEntities } from '../entities/mirror-entities.ts';
import type { EntityStore } from '../entities/open-entity-store.ts';
import type { EntityChange, EntityId, EntityReference } from '../port.ts';
import { syncPriority } from './tasks.ts';

/** The changes of the mirror by entities that one job read. */
export interface EntityChanges {
  readonly rendered: readonly RenderedEntity[];
  /** Those of the rendered ones that lack parts, such as comments, which the provider refuses. */
  readonly lacking?: readonly RenderedEntity[];
  /** Entities that are gone or out of scope. */
  readonly removed: readonly EntityId[];
  /** Entities that the provider has, and whose files stay as they are. */
  readonly kept: readonly EntityId[];
  /** Entities that the jobs of edits fetch. */
  readonly edits?: readonly EntityReference[];
}

export const noChanges: EntityChanges = { rendered: [], removed: [], kept: [] };

/**
 * Queues changes in the transaction of the store. What belongs to entities whose scope changed is read again by jobs of
 * `task`, because its own time may be the same. A rebuild leaves files as they are that have parts which are refused now.
 */
export async function applyChanges(
  store: EntityStore,
  task: Task<EntityChange>,
  { rendered, lacking = [], removed, kept, edits = [] }: EntityChanges,
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
  await enqueueAll(
    tx,
    task,
    edits.map((edit) => ({ connectionId, ...edit })),
  );
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

import type { Database } from '../../../foundation/db/database.ts';
import type { JobContext } from '../../../foundation/jobs/handler.ts';
import type { ConnectionId, MirrorTargetId } from '../../../foundation/kernel/ids.ts';
import type { ConnectorRecords } from '../../mirror/format/record-kind.ts';
import { rebuildOf, startRebuild } from '../../mirror/rebuild-store.ts';
import { applyScope, type ScopedEntity } from '../entities/forget-entities.ts';
import { type EntityStore, openEntityStore } from '../entities/open-entity-store.ts';
import { forgetContents } from '../entities/restore-files.ts';
import type { EntityId } from '../port.ts';
import { saveCheckpoint } from './checkpoints.ts';

/** The mirror of a connection, as one job changes it. */
export interface JobMirror {
  readonly database: Database;
  readonly connectionId: ConnectionId;
  /** The target that it had when the job began. Absent if the changes fit any. */
  readonly targetId?: MirrorTargetId;
  /** The records of the connector. */
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

/** Maximum number of entities whose scope one transaction evaluates again. */
const scopePage = 500;

/** The progress of a connector, with the configuration that the files follow. */
interface Followed {
  readonly family: string;
  readonly state: { readonly configuration?: unknown };
}

/**
 * Removes what a scope leaves out, without a request: the facts are stored. From then on the files follow no
 * configuration, until the connector saves its state: if the job is interrupted and the former configuration comes back,
 * everything is read again.
 */
export async function removeOutOfScope(
  mirror: JobMirror,
  { family, state }: Followed,
  isInScope: (entity: ScopedEntity) => boolean,
): Promise<void> {
  const { configuration: _former, ...rest } = state;
  await changeMirror(mirror, (store) => saveCheckpoint(store, family, rest));
  let after: EntityId | undefined;
  do {
    mirror.context.signal.throwIfAborted();
    const start: EntityId | undefined = after;
    after = undefined;
    await changeMirror(mirror, async (store) => {
      after = await applyScope(store, isInScope, { after: start, limit: scopePage });
    });
  } while (after !== undefined);
}

import type { BatchJob } from '../../../../foundation/jobs/handler.ts';
import { keyOf, parentOf, readEntities } from '../../entities/entity-rows.ts';
import type { EntityChange, EntityId } from '../../port.ts';
import { applyChanges, type EntityChanges } from '../../sync/apply-changes.ts';
import { changeMirror, storedIn } from '../../sync/change-mirror.ts';
import { isMirrored } from '../kinds/kinds.ts';
import { isPart, parentsOfPart, partFamilyOf } from '../kinds/part-kinds.ts';
import { trackerSyncIncremental } from '../tasks.ts';
import { fetchPrepared } from './prepare-entities.ts';
import { isBlocked } from './read-details.ts';
import type { Session } from './session.ts';

/** Fetches the present state of entities that were edited, all of one connection, and mirrors it. */
export async function syncEntities(session: Session, jobs: readonly BatchJob<EntityChange>[]): Promise<void> {
  const { families, mirror } = session;
  const stored = await readEntities(
    storedIn(mirror),
    jobs.map(({ payload }) => payload),
  );
  const targets = new Map<string, EntityId>();
  for (const { payload } of jobs) {
    const row = stored.get(keyOf(payload));
    const known = [payload.parent, row && parentOf(row)];
    const found = await families.orRefused(payload.kind, () => targetsOf(session, payload, known));
    for (const target of found ?? []) targets.set(keyOf(target), target);
  }
  const all: EntityChanges[] = [];
  for (const [kind, ofKind] of Map.groupBy(targets.values(), (target) => target.kind)) {
    if (!isMirrored(kind) || isBlocked(session, kind)) continue;
    const ids = ofKind.map(({ id }) => id);
    const prepared = await families.orRefused(kind, () => fetchPrepared(session, kind, ids));
    if (prepared !== undefined) all.push(prepared);
  }
  await changeMirror(mirror, async (store) => {
    for (const changes of all) await applyChanges(store, trackerSyncIncremental, changes, 'edit');
    await families.save(store);
  });
}

/**
 * Returns the entities whose files an event concerns. What is part of another file leads to the entities of those files:
 * the one that the event names, the one that had it before, and those that the provider names now.
 */
async function targetsOf(
  { client, signal, reserve }: Session,
  { kind, id }: EntityId,
  known: readonly (EntityId | undefined)[],
): Promise<readonly EntityId[]> {
  if (isMirrored(kind)) return [{ kind, id }];
  const targets = known.filter((target) => target !== undefined && isMirrored(target.kind)) as EntityId[];
  if (!isPart(kind) || (targets.length > 0 && partFamilyOf(kind).hasManyParents !== true)) return targets;
  const part = await client.find(kind, id, { signal, reserve });
  return part === undefined ? targets : [...targets, ...parentsOfPart(kind, part)];
}

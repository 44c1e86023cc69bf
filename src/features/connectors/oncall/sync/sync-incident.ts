import { keyOf, readEntities } from '../../entities/entity-rows.ts';
import type { EntityChange } from '../../port.ts';
import { applyChanges } from '../../sync/apply-changes.ts';
import { changeMirror, storedIn } from '../../sync/change-mirror.ts';
import { incidentKind } from '../render/render-incident.ts';
import { oncallSyncIncremental } from '../tasks.ts';
import { readIncident } from './read-incident.ts';
import { changesBy } from './read-sweep-page.ts';
import type { Session } from './session.ts';

/**
 * Mirrors the present state of one incident. It is fetched only if the event named a service in scope or it is mirrored
 * (specification: Events). A mirrored one is fetched also if the event names another service, because events may be
 * late, so that only the present state decides.
 */
export async function syncIncident(session: Session, { id, parent }: EntityChange): Promise<void> {
  const { families, mirror, scope } = session;
  const isNamed = parent !== undefined && scope.services.has(parent.id);
  const entity = { kind: incidentKind, id };
  if (!isNamed && !(await readEntities(storedIn(mirror), [entity])).has(keyOf(entity))) return;
  const read = await readIncident(session, id);
  await changeMirror(mirror, async (store) => {
    await families.save(store);
    await applyChanges(store, oncallSyncIncremental, changesBy(session, [read]), 'edit');
  });
}

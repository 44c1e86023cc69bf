import { findEntity } from '../../entities/entity-rows.ts';
import { forgetEntities } from '../../entities/forget-entities.ts';
import { mirrorEntities } from '../../entities/mirror-entities.ts';
import { type EntityStore, openEntityStore } from '../../entities/open-entity-store.ts';
import type { ConnectorJobsDeps, EntityChange } from '../../port.ts';
import { incidentKind } from '../render/render-incident.ts';
import { readIncident } from './read-incident.ts';
import { mirrorRoot, type Session } from './session.ts';

/**
 * Mirrors the present state of one incident. It is fetched only if the event named a service in scope or it is mirrored
 * (specification: Events). A mirrored one is fetched also if the event names another service, because events may be
 * late, so that only the present state decides.
 */
export async function syncIncident(
  deps: ConnectorJobsDeps,
  session: Session,
  { id, parent }: EntityChange,
): Promise<void> {
  const { connection, scope } = session;
  const isNamed = parent !== undefined && scope.services.has(parent.id);
  const entity = { kind: incidentKind, id };
  if (!isNamed && (await findEntity(deps.database.queries, connection.id, entity)) === undefined) return;
  const read = await readIncident(session, id);
  await write(deps, session, async (store) => {
    if (read.status === 'in_scope') await mirrorEntities(store, [read.rendered], 'edit');
    if (read.status === 'out_of_scope') await forgetEntities(store, [entity], 'edit');
  });
}

/** Changes what a connection mirrors, in a transaction that fails if the job is no longer held. */
export async function write(
  { database }: ConnectorJobsDeps,
  { connection, context }: Session,
  change: (store: EntityStore) => Promise<void>,
): Promise<void> {
  await database.transaction(async (tx) => {
    await context.assertHeld(tx);
    const store = await openEntityStore(tx, { connectionId: connection.id, root: mirrorRoot });
    if (store !== undefined) await change(store);
  });
}

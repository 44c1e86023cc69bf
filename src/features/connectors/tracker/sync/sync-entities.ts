import type { BatchJob } from '../../../../foundation/jobs/handler.ts';
import type { OrgctxError } from '../../../../foundation/kernel/errors.ts';
import { keyOf, parentOf, readEntities } from '../../entities/entity-rows.ts';
import type { ConnectorJobsDeps, EntityChange, EntityId } from '../../port.ts';
import { changeMirror } from '../../sync/change-mirror.ts';
import { saveRefusal } from '../../sync/refused-family.ts';
import { isMirrored } from '../kinds/kinds.ts';
import { isPart } from '../kinds/part-kinds.ts';
import { parentsOfPart } from './part-parents.ts';
import { applyPreparation, fetchPrepared, type Preparation } from './prepare-entities.ts';
import { isBlocked } from './read-details.ts';
import { familyRefusal, type Session } from './session.ts';

/** Fetches the present state of entities that were edited, all of one connection, and mirrors it. */
export async function syncEntities(
  { database }: ConnectorJobsDeps,
  session: Session,
  jobs: readonly BatchJob<EntityChange>[],
): Promise<void> {
  const { id: connectionId } = session.connection;
  const stored = await readEntities(
    { tx: database.queries, connectionId },
    jobs.map(({ payload }) => payload),
  );
  const refusals = new Map<string, OrgctxError>();
  const orRefused = async (kind: string, work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      refusals.set(kind, await familyRefusal(session, kind, error));
    }
  };
  const targets = new Map<string, EntityId>();
  for (const { payload } of jobs) {
    const row = stored.get(keyOf(payload));
    const known = [payload.parent, row && parentOf(row)];
    await orRefused(payload.kind, async () => {
      for (const target of await targetsOf(session, payload, known)) targets.set(keyOf(target), target);
    });
  }
  const preparations: Preparation[] = [];
  for (const [kind, ofKind] of Map.groupBy(targets.values(), (target) => target.kind)) {
    if (!isMirrored(kind) || isBlocked(session, kind)) continue;
    const ids = ofKind.map(({ id }) => id);
    await orRefused(kind, async () => void preparations.push(await fetchPrepared(session, kind, ids)));
  }
  await changeMirror(session.mirror, async (store) => {
    for (const preparation of preparations) await applyPreparation(store, session, preparation, 'edit');
    for (const [kind, error] of refusals) {
      await saveRefusal(store.tx, connectionId, kind, { error, at: store.now });
    }
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
  // A request stands in the file of a customer, and the customer in that of an issue.
  if (!isPart(kind) || (targets.length > 0 && kind !== 'customer-need')) return targets;
  const part = await client.find(kind, id, { signal, reserve });
  return part === undefined ? targets : [...targets, ...parentsOfPart(kind, part)];
}

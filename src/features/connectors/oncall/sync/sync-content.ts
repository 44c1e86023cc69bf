import { enqueue, enqueueAll } from '../../../../foundation/jobs/enqueue.ts';
import { readQueueTime } from '../../../../foundation/jobs/queue-time.ts';
import { systemClock } from '../../../../foundation/kernel/clock.ts';
import { markSeen } from '../../entities/entity-rows.ts';
import { forgetEntities } from '../../entities/forget-entities.ts';
import { mirrorEntities } from '../../entities/mirror-entities.ts';
import type { EntityStore } from '../../entities/open-entity-store.ts';
import type { ConnectorJobsDeps, EntityChange } from '../../port.ts';
import { changeMirror, removeOutOfScope } from '../../sync/change-mirror.ts';
import { readCheckpoint, saveCheckpoint } from '../../sync/checkpoints.ts';
import { incidentKind } from '../render/render-incident.ts';
import { serviceKind } from '../render/render-service.ts';
import { oncallSubscribe, oncallSyncContent, oncallSyncIncremental } from '../tasks.ts';
import { type ChangedIncident, readChanges } from './read-changes.ts';
import { readSweepPage } from './read-sweep-page.ts';
import type { Session } from './session.ts';
import {
  contentFamily,
  needsPlan,
  planned,
  type Sweep,
  type SyncState,
  syncStateShape,
  withoutSweep,
} from './sync-state.ts';

/** Maximum delay of the log while a sweep goes on, in milliseconds. */
const maxLogDelayMs = 10 * 60_000;

/**
 * Does one step of comparing the provider with the mirrored files, and enqueues the next one. `full` starts a sweep over
 * all incidents, which finds also what has no log entry: edited and deleted notes. A wider scope starts one over what it
 * adds. A sweep ends with the log: incidents of new entries are fetched again, and the webhook subscription is checked. A
 * long one is interrupted for that.
 */
export async function syncContent(deps: ConnectorJobsDeps, session: Session, full: boolean): Promise<void> {
  const { queries } = deps.database;
  const { id } = session.connection;
  const state = (await readCheckpoint(queries, id, contentFamily, syncStateShape)) ?? {};
  const now = await readQueueTime(queries, systemClock);
  const request = { configuration: session.configuration, full, now, providerNow: deps.clock() };
  if (needsPlan(state, request)) {
    const followed = { family: contentFamily, state };
    await removeOutOfScope(session.mirror, followed, ({ facts }) => session.scope.has(facts));
    return changeMirror(session.mirror, (store) => saveState(deps, store, planned(state, request), true));
  }
  const { sweep, readUpTo = 0 } = state;
  const isLogDue = sweep === undefined || deps.clock() - readUpTo > maxLogDelayMs;
  return isLogDue ? followLog(deps, session, state) : sweepOn(deps, session, state, sweep);
}

async function sweepOn(
  deps: ConnectorJobsDeps,
  session: Session,
  state: SyncState,
  sweep: Sweep,
): Promise<void> {
  const page = await readSweepPage(deps, session, sweep);
  await changeMirror(session.mirror, async (store) => {
    await mirrorEntities(store, page.rendered, 'backfill');
    await forgetEntities(store, page.gone, 'backfill');
    await markSeen(store, page.kept);
    const next = page.next === undefined ? withoutSweep(state) : { ...state, sweep: page.next };
    await saveState(deps, store, next, true);
  });
}

async function followLog(deps: ConnectorJobsDeps, session: Session, state: SyncState): Promise<void> {
  const now = deps.clock();
  const { client, context } = session;
  const { incidents, readUpTo } = await readChanges(client, state.readUpTo ?? now, now, context.signal);
  await changeMirror(session.mirror, async (store) => {
    const { tx, connectionId } = store;
    await enqueueAll(tx, oncallSyncIncremental, changesOf(store, session, incidents));
    await saveState(deps, store, { ...state, readUpTo }, readUpTo < now || state.sweep !== undefined);
    await enqueue(tx, oncallSubscribe, { connectionId });
  });
}

/** Returns the fetches of incidents that may be in scope. The jobs leave out those that are neither in it nor mirrored. */
function changesOf(
  { connectionId }: EntityStore,
  { scope }: Session,
  incidents: readonly ChangedIncident[],
): readonly EntityChange[] {
  return incidents.map(({ id, service }) => {
    const change: EntityChange = { connectionId, kind: incidentKind, id };
    const isNamed = service !== undefined && scope.services.has(service);
    return isNamed ? { ...change, parent: { kind: serviceKind, id: service } } : change;
  });
}

/** Saves the state, and enqueues the next step unless this was the last one. */
async function saveState(
  { saveRun }: ConnectorJobsDeps,
  store: EntityStore,
  state: SyncState,
  goesOn: boolean,
): Promise<void> {
  const { tx, connectionId } = store;
  await saveCheckpoint(store, contentFamily, state);
  const { sweep } = state;
  const familiesDone = sweep === undefined || sweep.phase === 'services' ? 0 : 1;
  const ofSweep = sweep?.services === undefined ? 'full' : 'added';
  const run = { mode: sweep === undefined ? 'changes' : ofSweep, familiesDone, families: 2 } as const;
  await saveRun(tx, connectionId, goesOn ? run : undefined);
  if (goesOn) await enqueue(tx, oncallSyncContent, { connectionId, full: false });
}

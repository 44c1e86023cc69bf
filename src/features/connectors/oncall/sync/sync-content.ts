import { enqueue, enqueueAll } from '../../../../foundation/jobs/enqueue.ts';
import { readQueueTime } from '../../../../foundation/jobs/queue-time.ts';
import { systemClock } from '../../../../foundation/kernel/clock.ts';
import { markSeen } from '../../entities/entity-rows.ts';
import { forgetEntities } from '../../entities/forget-entities.ts';
import { mirrorEntities } from '../../entities/mirror-entities.ts';
import type { EntityStore } from '../../entities/open-entity-store.ts';
import type { ConnectorJobsDeps, EntityChange } from '../../port.ts';
import { changeMirror, removeOutOfScope, startRequestedRebuild } from '../../sync/change-mirror.ts';
import { readCheckpoint, saveCheckpoint } from '../../sync/checkpoints.ts';
import { incidentKind } from '../render/render-incident.ts';
import { serviceKind } from '../render/render-service.ts';
import { oncallSubscribe, oncallSyncContent, oncallSyncIncremental } from '../tasks.ts';
import { forgetLogs } from './incident-log.ts';
import { type ChangedIncident, readChanges } from './read-changes.ts';
import { readSweepPage } from './read-sweep-page.ts';
import { orRefused, type Session } from './session.ts';
import {
  afterRefusal,
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
/** Longest range of the log that is read at a time: a connection that was away for long catches up in several. */
const maxRangeMs = 86_400_000;
/** A rest of the log that is left to the next comparison. */
const maxRestMs = 60_000;

/**
 * Does one step of comparing the provider with the mirrored files, and enqueues the next one. `full` starts a sweep over
 * all incidents, which finds also what has no log entry: edited and deleted notes. A wider scope starts one over what it
 * adds. A sweep ends with the log: incidents of new entries are fetched again, and the webhook subscription is checked. A
 * long one is interrupted for that.
 */
export async function syncContent(deps: ConnectorJobsDeps, session: Session, full: boolean): Promise<void> {
  const { queries } = deps.database;
  const { id } = session.connection;
  await startRequestedRebuild(session.mirror);
  const state = (await readCheckpoint(queries, id, contentFamily, syncStateShape)) ?? {};
  const now = await readQueueTime(queries, systemClock);
  const request = { configuration: session.configuration, full, now, providerNow: deps.clock() };
  if (needsPlan(state, request)) {
    const followed = { family: contentFamily, state };
    await removeOutOfScope(session.mirror, followed, ({ facts }) => session.scope.has(facts));
    return changeMirror(session.mirror, (store) => saveState(deps, store, planned(state, request), true));
  }
  const { sweep, readUpTo = 0, log } = state;
  const isLogDue = sweep === undefined || log !== undefined || deps.clock() - readUpTo > maxLogDelayMs;
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
    await enqueueAll(store.tx, oncallSyncIncremental, changesOf(store, session, page.unfinished));
    await session.families.save(store);
    if (page.next !== undefined) return saveState(deps, store, { ...state, sweep: page.next }, true);
    await forgetLogs(store);
    const isRefused = session.families.refused.has('incidents');
    await saveState(deps, store, isRefused ? afterRefusal(state, store.now) : withoutSweep(state), true);
  });
}

async function followLog(deps: ConnectorJobsDeps, session: Session, state: SyncState): Promise<void> {
  const now = deps.clock();
  const { log, readUpTo = now, ...rest } = state;
  const { end, position } = log ?? { end: Math.min(now, readUpTo + maxRangeMs), position: { offset: 0 } };
  const changes = await orRefused(session, 'log entries', () =>
    readChanges(session, { from: readUpTo, end, position }),
  );
  const { incidents, next } = changes ?? { incidents: [], next: undefined };
  await changeMirror(session.mirror, async (store) => {
    const { tx, connectionId } = store;
    await enqueueAll(tx, oncallSyncIncremental, changesOf(store, session, incidents));
    await session.families.save(store);
    if (next !== undefined) {
      return saveState(deps, store, { ...state, readUpTo, log: { end, position: { ...next } } }, true);
    }
    const isRead = changes !== undefined;
    const goesOn = (isRead && end < now - maxRestMs) || state.sweep !== undefined;
    await saveState(deps, store, { ...rest, readUpTo: isRead ? end : readUpTo }, goesOn);
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

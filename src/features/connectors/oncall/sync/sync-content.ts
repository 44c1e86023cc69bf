import { enqueue } from '../../../../foundation/jobs/enqueue.ts';
import { readQueueTime } from '../../../../foundation/jobs/queue-time.ts';
import { systemClock } from '../../../../foundation/kernel/clock.ts';
import type { ConnectorJobsDeps, SyncRun } from '../../port.ts';
import { noChanges } from '../../sync/apply-changes.ts';
import { type ComparisonStep, compare } from '../../sync/compare.ts';
import { oncallSubscribe, oncallSyncContent, oncallSyncIncremental } from '../tasks.ts';
import { forgetLogs } from './incident-log.ts';
import { readChanges } from './read-changes.ts';
import { readSweepPage, referencesOf } from './read-sweep-page.ts';
import { orRefused, type Session } from './session.ts';
import {
  afterRefusal,
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
 * Does one step of comparing the provider with the mirrored files. `full` starts a sweep over all incidents, which finds
 * also what has no log entry: edited and deleted notes. A wider scope starts one over what it adds. A sweep ends with the
 * log: incidents of new entries are fetched again, and the webhook subscription is checked. A long one is interrupted for
 * that.
 */
export async function syncContent(deps: ConnectorJobsDeps, session: Session, full: boolean): Promise<void> {
  const { configuration, families, mirror, scope } = session;
  const now = await readQueueTime(deps.database.queries, systemClock);
  const request = { configuration, full, now, providerNow: deps.clock() };
  await compare<SyncState>(deps, {
    mirror,
    families,
    task: oncallSyncContent,
    changeTask: oncallSyncIncremental,
    shape: syncStateShape,
    initial: {},
    needsPlan: (state) => needsPlan(state, request),
    async plan(former) {
      const state = planned(former, request);
      return { state, run: runOf(state), isInScope: ({ facts }) => scope.has(facts) };
    },
    step(state) {
      const { sweep, readUpTo = 0, log } = state;
      const isLogDue = sweep === undefined || log !== undefined || deps.clock() - readUpTo > maxLogDelayMs;
      return isLogDue ? followLog(deps, session, state) : sweepOn(session, state, sweep, now);
    },
  });
}

async function sweepOn(
  session: Session,
  former: SyncState,
  sweep: Sweep,
  now: number,
): Promise<ComparisonStep<SyncState>> {
  const { changes, next } = await readSweepPage(session, sweep);
  if (next !== undefined) {
    const state = { ...former, sweep: next };
    return { changes, state, run: runOf(state) };
  }
  const isRefused = session.families.refused.has('incidents');
  const state = isRefused ? afterRefusal(former, now) : withoutSweep(former);
  return { changes, state, run: runOf(state), apply: forgetLogs };
}

async function followLog(
  deps: ConnectorJobsDeps,
  session: Session,
  state: SyncState,
): Promise<ComparisonStep<SyncState>> {
  const now = deps.clock();
  const { log, readUpTo = now, ...rest } = state;
  const { end, position } = log ?? { end: Math.min(now, readUpTo + maxRangeMs), position: { offset: 0 } };
  const read = await orRefused(session, 'log entries', () =>
    readChanges(session, { from: readUpTo, end, position }),
  );
  const changes = { ...noChanges, edits: referencesOf(session, read?.incidents ?? []) };
  const run = runOf(state);
  if (read?.next !== undefined) {
    return { changes, run, state: { ...state, readUpTo, log: { end, position: { ...read.next } } } };
  }
  const goesOn = (read !== undefined && end < now - maxRestMs) || state.sweep !== undefined;
  return {
    changes,
    state: { ...rest, readUpTo: read === undefined ? readUpTo : end },
    run: goesOn ? run : undefined,
    async apply({ tx, connectionId }) {
      await enqueue(tx, oncallSubscribe, { connectionId });
    },
  };
}

function runOf({ sweep }: SyncState): SyncRun {
  const familiesDone = sweep === undefined || sweep.phase === 'services' ? 0 : 1;
  const ofSweep = sweep?.services === undefined ? 'full' : 'added';
  return { mode: sweep === undefined ? 'changes' : ofSweep, familiesDone, families: 2 };
}

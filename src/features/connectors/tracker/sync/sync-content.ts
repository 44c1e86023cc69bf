import { isDeepStrictEqual } from 'node:util';
import { enqueue, enqueueAll } from '../../../../foundation/jobs/enqueue.ts';
import { readQueueTime } from '../../../../foundation/jobs/queue-time.ts';
import { systemClock } from '../../../../foundation/kernel/clock.ts';
import { resumeAssets } from '../../entities/asset-rows.ts';
import { forgetTimes, markSeen } from '../../entities/entity-rows.ts';
import { findReferring } from '../../entities/link-targets.ts';
import type { EntityStore } from '../../entities/open-entity-store.ts';
import type { ConnectorJobsDeps, EntityChange, EntityId, SyncRequest } from '../../port.ts';
import { changeMirror, removeOutOfScope, startRequestedRebuild } from '../../sync/change-mirror.ts';
import { readCheckpoint, saveCheckpoint } from '../../sync/checkpoints.ts';
import { isMirrored } from '../kinds/kinds.ts';
import { isPart } from '../kinds/part-kinds.ts';
import { accountOf } from '../oauth/tracker-setup.ts';
import { trackerSyncContent, trackerSyncIncremental } from '../tasks.ts';
import { forgetMissedEvents, noteMissedEvents } from './missed-events.ts';
import { applyPreparation } from './prepare-entities.ts';
import { readPage } from './read-page.ts';
import { scopeFactsShape } from './scope-facts.ts';
import type { Session } from './session.ts';
import {
  afterKind,
  isOfAll,
  needsPlan,
  plannedWork,
  type SyncState,
  syncStateShape,
  workOnEverything,
} from './sync-state.ts';
import { isInScope } from './tracker-scope.ts';

/** The family of the checkpoint. */
const family = 'content';

/**
 * Does one step of comparing the tracker with the mirrored files, and enqueues the next one: a page of entities, or the
 * removal of what a changed scope leaves out. `full` starts a run that also finds what was deleted; without it, a run
 * that was started goes on, or one of recent changes begins.
 */
export async function syncContent(
  deps: ConnectorJobsDeps,
  session: Session,
  { full }: Pick<SyncRequest, 'full'>,
): Promise<void> {
  const { database } = deps;
  const { id } = session.connection;
  await startRequestedRebuild(session.mirror);
  const state = (await readCheckpoint(database.queries, id, family, syncStateShape)) ?? {
    teams: [],
    readUpTo: {},
  };
  if (needsPlan(state, session.configuration, full)) {
    await startWork(deps, session, { state, full });
    return;
  }
  const { work } = state;
  if (work === undefined) return;
  const [kind] = work.kinds;
  if (kind === undefined) return;
  const { families } = session;
  const page = await families.orRefused(kind, () => readPage(deps, session, state, work));
  await changeMirror(session.mirror, async (store) => {
    // What was left out meanwhile differs from the mirror.
    if (page?.isRead === true && families.given(kind)) state.sweptAt = undefined;
    await families.save(store);
    if (page === undefined) return finish(store, afterKind(state, { ...work, newest: undefined }), deps);
    await applyPreparation(store, session, page.preparation, 'backfill');
    await enqueueEdits(store, page.edits);
    await markSeen(store, page.seen);
    await noteMissedEvents(store, page.missed);
    // The lists come first in a sweep, so that it reads what mentions their items.
    await forgetTimes(store, await findReferring(store, page.renamed));
    await finish(store, page.isComplete ? afterKind(state, page.work) : { ...state, work: page.work }, deps);
  });
}

async function startWork(
  deps: ConnectorJobsDeps,
  session: Session,
  { state, full }: { readonly state: SyncState; readonly full: boolean },
): Promise<void> {
  const { configuration } = session;
  const scope = await session.scope();
  const teams = [...scope.teams].toSorted();
  const now = await readQueueTime(deps.database.queries, systemClock);
  await askAgain(session, state);
  let work = plannedWork(state, { configuration, teams }, full, now);
  // Another address of the workspace changes the links of every file.
  const isRenamed = isOfAll(work) && (await followAccount(deps, session));
  if (isRenamed) work = workOnEverything(configuration, now);
  const isNarrower = state.teams.some((team) => !scope.teams.has(team));
  if (!isDeepStrictEqual(state.configuration, configuration) || isNarrower) {
    await removeOutOfScope(
      session.mirror,
      { family, state },
      ({ kind, facts }) => isMirrored(kind) && isInScope(scope, kind, scopeFactsShape.parse(facts)),
    );
  }
  await changeMirror(session.mirror, async (store) => {
    await session.families.save(store);
    await forgetMissedEvents(store);
    if (isOfAll(work)) await resumeAssets(store);
    await finish(store, { ...state, configuration, teams, work }, deps);
  });
}

/** Asks for refused families that only others need: no run lists them. What lacked one differs from the mirror. */
async function askAgain({ client, configuration, families, signal, reserve }: Session, state: SyncState) {
  const { kinds } = workOnEverything(configuration, 0);
  for (const family of [...families.refused]) {
    if (!(isMirrored(family) || isPart(family)) || kinds.includes(family)) continue;
    const times = () => client.times(family, { includeArchived: true }, { signal, reserve });
    const page = await families.orRefused(family, times);
    if (page !== undefined && families.given(family)) state.sweptAt = undefined;
  }
}

/** Takes over the name and address of a workspace. Returns whether they are others than before. */
async function followAccount(deps: ConnectorJobsDeps, session: Session): Promise<boolean> {
  const { connection, client, signal, reserve } = session;
  const account = accountOf(await client.viewer({ signal, reserve }), deps.values);
  await deps.saveAccount(connection, account);
  return !isDeepStrictEqual(account, connection.account);
}

/** Saves the state and enqueues the next step. */
async function finish(store: EntityStore, state: SyncState, { saveRun }: ConnectorJobsDeps): Promise<void> {
  const { tx, connectionId } = store;
  const { work, ...rest } = state;
  const isDone = work === undefined || work.kinds.length === 0;
  await saveCheckpoint(store, family, isDone ? rest : state);
  if (isDone) return saveRun(tx, connectionId, undefined);
  const { mode, kinds, total } = work;
  const shown = mode === 'sweep' ? 'full' : mode;
  await saveRun(tx, connectionId, { mode: shown, familiesDone: total - kinds.length, families: total });
  // At once, even if a step that failed earlier waits for its next attempt.
  await enqueue(tx, trackerSyncContent, { connectionId, full: false }, { runAt: 0 });
}

/** Lets the jobs of edits fetch what a page contains in part only, and what its parts belong to. */
async function enqueueEdits({ tx, connectionId }: EntityStore, edits: readonly EntityId[]): Promise<void> {
  const changes: EntityChange[] = edits.map((edit) => ({ connectionId, ...edit }));
  await enqueueAll(tx, trackerSyncIncremental, changes);
}

import { isDeepStrictEqual } from 'node:util';
import { readQueueTime } from '../../../../foundation/jobs/queue-time.ts';
import { systemClock } from '../../../../foundation/kernel/clock.ts';
import { resumeAssets } from '../../entities/asset-rows.ts';
import { forgetTimes } from '../../entities/entity-rows.ts';
import type { ScopedEntity } from '../../entities/forget-entities.ts';
import { findReferring } from '../../entities/link-targets.ts';
import type { ConnectorJobsDeps, SyncRequest } from '../../port.ts';
import { type ComparisonPlan, type ComparisonStep, compare } from '../../sync/compare.ts';
import { isMirrored } from '../kinds/kinds.ts';
import { isPart } from '../kinds/part-kinds.ts';
import { accountOf } from '../oauth/tracker-setup.ts';
import { trackerSyncContent, trackerSyncIncremental } from '../tasks.ts';
import { forgetMissedEvents, noteMissedEvents } from './missed-events.ts';
import { isBlocked } from './read-details.ts';
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

/**
 * Does one step of comparing the tracker with the mirrored files: a page of entities, or the removal of what a changed
 * scope leaves out. `full` starts a run that also finds what was deleted; without it, a run that was started goes on, or
 * one of recent changes begins.
 */
export async function syncContent(
  deps: ConnectorJobsDeps,
  session: Session,
  { full }: Pick<SyncRequest, 'full'>,
): Promise<void> {
  const { configuration, families, mirror } = session;
  await compare<SyncState>(deps, {
    mirror,
    families,
    task: trackerSyncContent,
    changeTask: trackerSyncIncremental,
    shape: syncStateShape,
    initial: { teams: [], readUpTo: {} },
    needsPlan: (state) => needsPlan(state, configuration, full),
    plan: (state) => plan(deps, session, state, full),
    step: (state) => step(deps, session, state),
  });
}

async function step(
  deps: ConnectorJobsDeps,
  session: Session,
  state: SyncState,
): Promise<ComparisonStep<SyncState> | undefined> {
  const { families } = session;
  const { work } = state;
  const [kind] = work?.kinds ?? [];
  if (work === undefined || kind === undefined) return undefined;
  if (isMirrored(kind) && isBlocked(session, kind)) return stepTo(afterKind(state, work));
  const page = await families.orRefused(kind, () => readPage(deps, session, { kind, state, work }));
  if (page === undefined) return stepTo(afterKind(state, { ...work, newest: undefined }));
  const { changes, missed, renamed } = page;
  // What was left out meanwhile differs from the mirror.
  const former = families.given(kind) ? { ...state, sweptAt: undefined } : state;
  return {
    ...stepTo(page.isComplete ? afterKind(former, page.work) : { ...former, work: page.work }),
    changes,
    async apply(store) {
      await noteMissedEvents(store, missed);
      // The lists come first in a sweep, so that it reads what mentions their items.
      await forgetTimes(store, await findReferring(store, renamed));
    },
  };
}

async function plan(
  deps: ConnectorJobsDeps,
  session: Session,
  former: SyncState,
  full: boolean,
): Promise<ComparisonPlan<SyncState>> {
  const { configuration } = session;
  const scope = await session.scope();
  const teams = [...scope.teams].toSorted();
  const now = await readQueueTime(deps.database.queries, systemClock);
  const state = (await isGivenAgain(session)) ? { ...former, sweptAt: undefined } : former;
  let work = plannedWork(state, { configuration, teams }, full, now);
  // Another address of the workspace changes the links of every file.
  const isRenamed = isOfAll(work) && (await followAccount(deps, session));
  if (isRenamed) work = workOnEverything(configuration, now);
  const isOther = !isDeepStrictEqual(state.configuration, configuration);
  const isNarrower = isOther || state.teams.some((team) => !scope.teams.has(team));
  const isWanted = ({ kind, facts }: ScopedEntity) =>
    isMirrored(kind) && isInScope(scope, kind, scopeFactsShape.parse(facts));
  return {
    ...stepTo({ ...state, configuration, teams, work }),
    isInScope: isNarrower ? isWanted : undefined,
    async apply(store) {
      await forgetMissedEvents(store);
      if (isOfAll(work)) await resumeAssets(store);
    },
  };
}

/**
 * Asks for refused families that only others need: no run lists them. Returns whether one of them is given out again:
 * what lacked it differs from the mirror.
 */
async function isGivenAgain({ client, configuration, families, signal, reserve }: Session): Promise<boolean> {
  const { kinds } = workOnEverything(configuration, 0);
  let isAny = false;
  for (const family of Array.from(families.refused)) {
    if (!(isMirrored(family) || isPart(family)) || kinds.includes(family)) continue;
    const times = () => client.times(family, { includeArchived: true }, { signal, reserve });
    const page = await families.orRefused(family, times);
    if (page !== undefined && families.given(family)) isAny = true;
  }
  return isAny;
}

/** Takes over the name and address of a workspace. Returns whether they are others than before. */
async function followAccount(deps: ConnectorJobsDeps, session: Session): Promise<boolean> {
  const { connection, client, signal, reserve } = session;
  const account = accountOf(await client.viewer({ signal, reserve }), deps.values);
  await deps.saveAccount(connection, account);
  return !isDeepStrictEqual(account, connection.account);
}

/** Returns the step to a state, without its work if that is done. */
function stepTo(state: SyncState): Pick<ComparisonStep<SyncState>, 'state' | 'run'> {
  const { work, ...rest } = state;
  if (work === undefined || work.kinds.length === 0) return { state: rest, run: undefined };
  const { mode, kinds, total } = work;
  const shown = mode === 'sweep' ? 'full' : mode;
  return { state, run: { mode: shown, familiesDone: total - kinds.length, families: total } };
}

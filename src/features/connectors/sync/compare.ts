import { isDeepStrictEqual } from 'node:util';
import type { Queries } from '../../../foundation/db/database.ts';
import { enqueue } from '../../../foundation/jobs/enqueue.ts';
import { readQueueTime } from '../../../foundation/jobs/queue-time.ts';
import { systemClock } from '../../../foundation/kernel/clock.ts';
import type { ConnectionId } from '../../../foundation/kernel/ids.ts';
import { commitWithoutInterval } from '../../mirror/change-store.ts';
import { endRebuild } from '../../mirror/file-store.ts';
import { resumeAssets } from '../entities/asset-rows.ts';
import { type EntityStore, parentOf } from '../entities/entity-store.ts';
import { type ScopedEntity, unseenEntities } from '../entities/forget-entities.ts';
import type { ConnectorJobsDeps, SyncTasks } from '../port.ts';
import {
  applyChanges,
  changeMirror,
  type EntityChanges,
  removeOutOfScope,
  startRequestedRebuild,
  storedIn,
} from './change-mirror.ts';
import { ProviderError } from './provider-error.ts';
import type { Family, SyncReader } from './source.ts';
import {
  afterFamily,
  contentFamily,
  isOfAll,
  plannedWork,
  type Reading,
  type SyncState,
  type SyncWork,
  syncStateShape,
} from './sync-state.ts';
import { readCheckpoint, saveCheckpoint } from './sync-store.ts';

/** Returns the progress of the comparisons of a connection; `undefined` if it was never compared. */
export function readSyncState(queries: Queries, id: ConnectionId): Promise<SyncState | undefined> {
  return readCheckpoint(queries, id, contentFamily, syncStateShape);
}

/** The result of one step of a comparison. */
interface Step {
  /** The progress after the step. */
  readonly state: SyncState;
  readonly changes?: EntityChanges;
  /** True if the same job goes on with the next page. */
  readonly isNextRead?: boolean | undefined;
  /** The scope of now, if it may be narrower: what it leaves out is removed first. */
  readonly isInScope?: ((entity: ScopedEntity) => boolean) | undefined;
  apply?(store: EntityStore): Promise<void>;
}

/**
 * Does one step of comparing the provider with the mirrored files: a plan, a page of entities, or the removal of what a
 * changed scope leaves out. Goes on with the next step while its page is being read. The transaction that saves the
 * last step enqueues the one after it. `full` starts a run that also finds what was deleted; without it, a run that was
 * started goes on, or one of recent changes begins.
 */
export async function compare(
  deps: Pick<ConnectorJobsDeps, 'clock'>,
  tasks: SyncTasks,
  reader: SyncReader,
  full: boolean,
): Promise<void> {
  const { mirror } = reader;
  await startRequestedRebuild(mirror);
  const stored = await readSyncState(mirror.database.queries, mirror.connectionId);
  const former = stored ?? { places: [], readUpTo: {} };
  const { work } = former;
  const isOther = !isDeepStrictEqual(former.configuration, reader.configuration);
  // A step begins with a new plan, or goes on with the work of the state.
  const isNew = work === undefined || isOther || (full && !isOfAll(work));
  let step = isNew ? await plan(reader, former, full, isOther) : await readOn(reader, former, work);
  await saveStep(deps, tasks, reader, former, step);
  while (step.isNextRead === true) {
    const { state } = step;
    step = await readOn(reader, state, state.work!);
    await saveStep(deps, tasks, reader, state, step);
  }
}

/** Saves a step and, unless the same job goes on, enqueues the next one. `former`: the state before the step. */
async function saveStep(
  { clock }: Pick<ConnectorJobsDeps, 'clock'>,
  { content, incremental }: SyncTasks,
  { mirror, refusals, ended }: SyncReader,
  former: SyncState,
  { state, changes, isNextRead = false, isInScope, apply }: Step,
): Promise<void> {
  if (isInScope !== undefined) {
    // From now on the files follow no configuration, until the state is saved: if the job is interrupted and the former
    // configuration comes back, everything is read again.
    const following = { ...former, configuration: undefined };
    await changeMirror(mirror, (store) => saveCheckpoint(store, contentFamily, following));
    await removeOutOfScope(mirror, isInScope);
  }
  await changeMirror(mirror, async (store) => {
    const { tx, connectionId, targetId } = store;
    await refusals.save(store);
    if (changes !== undefined) await applyChanges(store, incremental, changes, 'backfill');
    await apply?.(store);
    await saveCheckpoint(store, contentFamily, state);
    if (state.work === undefined) {
      await ended?.(store);
      const connection = tx.updateTable('connections').where('id', '=', connectionId);
      await connection.set({ last_sync_at: clock() }).execute();
      await endRebuild(tx, connectionId);
      await commitWithoutInterval(tx, targetId);
    }
    // An outdated state is compared again at once, but only once, because a provider may refuse a family and give it
    // out in turn. After that, the next regular comparison reads everything.
    const isDue = state.work !== undefined || (state.isOutdated === true && former.work?.isAgain !== true);
    // It does not wait for the next attempt of one that failed earlier. A job that goes on needs no other one: if it
    // fails, its next attempt reads on from the saved state.
    if (isDue && !isNextRead) await enqueue(tx, content, { connectionId, full: false }, { runAt: 0 });
  });
}

/** Has everything compared again, because the provider gave out a family again that something was read without. */
export async function compareAgain(store: EntityStore, { content }: SyncTasks): Promise<void> {
  const { tx, connectionId } = store;
  const state = await readSyncState(tx, connectionId);
  if (state === undefined) return;
  await saveCheckpoint(store, contentFamily, { ...state, isOutdated: true });
  await enqueue(tx, content, { connectionId, full: false }, { runAt: 0 });
}

/** Plans new work. `isOther`: the files follow another configuration than that of now. */
async function plan(reader: SyncReader, former: SyncState, full: boolean, isOther: boolean): Promise<Step> {
  const { configuration, mirror } = reader;
  const places = (await reader.places()).toSorted();
  const now = await readQueueTime(mirror.database.queries, systemClock);
  const wanted = { places, full, now };
  let work = plannedWork(former, reader, wanted);
  if (await isGivenAgain(reader, work)) work = plannedWork({ ...former, isOutdated: true }, reader, wanted);
  if (isOfAll(work) && (await reader.followAccount?.()) === true) work = { ...work, mode: 'full' };
  const isNarrower = isOther || former.places.some((id) => !places.includes(id));
  return {
    state: {
      ...former,
      configuration: { ...configuration },
      places,
      isOutdated: undefined,
      work: work.families.length > 0 ? work : undefined,
    },
    isInScope: isNarrower ? await reader.scopeTest() : undefined,
    async apply(store) {
      await reader.started?.(store);
      if (isOfAll(work)) await resumeAssets(store);
    },
  };
}

/**
 * Asks for refused families that the run does not list. Returns whether one of them is given out again: what lacked it
 * differs from the mirror.
 */
async function isGivenAgain({ refusals, ask }: SyncReader, { families }: SyncWork): Promise<boolean> {
  for (const family of [...refusals.refused].filter((each) => !families.includes(each))) {
    const request = ask(family);
    if (request !== undefined) await refusals.orRefused(family, request);
  }
  return refusals.returned.size > 0;
}

/** Goes on with the work of a state. */
async function readOn(reader: SyncReader, state: SyncState, work: SyncWork): Promise<Step> {
  const { refusals } = reader;
  const overdue = reader.overdue?.(state.readUpTo);
  const isOverdue = overdue !== undefined && !refusals.refused.has(overdue);
  const name = isOverdue ? overdue : (work.families[0] ?? '');
  const family = reader.families.find((each) => each.name === name);
  if (family === undefined || isBlocked(reader, family))
    return { state: afterFamily(state, work, name, undefined) };
  const reading = work.readings[name] ?? { step: 'list', changed: [], cursor: undefined };
  const read = await refusals.orRefused(name, () => readNext(reader, family, { state, work, reading }), {
    // A list that is read to its end: the first pages prove nothing.
    isProof: ({ next }) => next === undefined,
  });
  const present = refusals.returned.size > 0 ? { ...state, isOutdated: true } : state;
  if (read === undefined) return { state: afterFamily(present, work, name, undefined) };
  const { next, readUpTo, ...effects } = read;
  return {
    ...effects,
    state:
      next === undefined
        ? afterFamily(present, work, name, readUpTo)
        : { ...present, work: { ...work, readings: { ...work.readings, [name]: next } } },
  };
}

/** Returns whether a family cannot be rendered without another one, which the provider does not give out. */
export function isBlocked({ refusals }: SyncReader, { dependsOn = [] }: Family): boolean {
  return dependsOn.some((each) => refusals.refused.has(each));
}

/** The result of reading on in a family. */
interface ReadStep extends Pick<Step, 'changes' | 'isNextRead' | 'apply'> {
  /** The progress after it; `undefined` at the end of the family. */
  readonly next: Reading | undefined;
  readonly readUpTo?: string | undefined;
}

interface Progress {
  readonly state: SyncState;
  readonly work: SyncWork;
  readonly reading: Reading;
}

/** Reads the next entities of a family: those that differ from the mirror, those that its list lacks, or a page. */
async function readNext(reader: SyncReader, family: Family, progress: Progress): Promise<ReadStep> {
  const { state, work, reading } = progress;
  const { name, kind } = family;
  const { changed } = reading;
  if (kind !== undefined && changed.length > 0) {
    const changes = await reader.fetch(kind, changed.slice(0, reader.fetchSize));
    return { changes, next: { ...reading, changed: changed.slice(reader.fetchSize) } };
  }
  if (kind !== undefined && reading.step === 'missing')
    return readMissing(reader, { ...family, kind }, progress);
  const { mode, added } = work;
  const request = { mode, added, cursor: reading.cursor, readUpTo: state.readUpTo[name] };
  const page = await family.readPage(request);
  const { next, isNextRead, readUpTo, changed: differing = [], isPartial = false, ...effects } = page;
  if (next !== undefined && JSON.stringify(next) === JSON.stringify(reading.cursor)) {
    const message = `The provider gave the place of a page of ${name} as that of the next page.`;
    throw new ProviderError(reader.mirror.records.root, 'protocol', message);
  }
  const present: Reading = { step: 'list', cursor: next, readUpTo, changed: [...differing] };
  if (next !== undefined) return { ...effects, isNextRead, next: present };
  const looksForMissing = isOfAll(work) && kind !== undefined && !isPartial;
  return { ...effects, readUpTo, next: looksForMissing ? { ...present, step: 'missing' } : undefined };
}

/** Fetches entities that the list of a family did not contain: they are gone, out of scope, or changed meanwhile. */
async function readMissing(
  reader: SyncReader,
  { kind, isPart = false }: Family & { readonly kind: string },
  { work, reading }: Progress,
): Promise<ReadStep> {
  const place = storedIn(reader.mirror);
  const unseen = await unseenEntities(place, { kind, before: work.startedAt, limit: reader.fetchSize });
  const ids = unseen.map(({ id }) => id);
  if (ids.length === 0) return { readUpTo: reading.readUpTo, next: undefined };
  if (!isPart) return { changes: await reader.fetch(kind, ids), next: reading };
  const edits = unseen.flatMap((row) => parentOf(row) ?? []);
  return { changes: { edits, kept: ids.map((id) => ({ kind, id })) }, next: reading };
}

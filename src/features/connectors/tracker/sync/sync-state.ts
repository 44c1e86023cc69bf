import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { type TrackerConfiguration, trackerConfigurationShape } from '../configuration.ts';
import { mirroredKinds } from '../kinds/kinds.ts';
import { partFamilies, partKinds } from '../kinds/part-kinds.ts';
import { enabledKinds } from './tracker-scope.ts';
import { widenedBy } from './widening.ts';

const workShape = z.object({
  /**
   * `full` reads every entity, and `sweep` only those that have another time than the mirror; both look for those that
   * are gone. `added` reads those that a wider scope added; `changes` reads those that changed since they were read
   * last.
   */
  mode: z.enum(['full', 'sweep', 'added', 'changes']),
  /** The kinds that are left, the current one first. */
  kinds: z.array(z.enum([...mirroredKinds, ...partKinds])),
  /** Number of kinds at the start. */
  total: z.number(),
  /** Of a run of everything: `missing` fetches those again that the list of the current kind did not contain. */
  step: z.enum(['list', 'missing']),
  /** Of a sweep: entities of the last page that have another time than the mirror. */
  changed: z.array(z.string()).default([]),
  cursor: z.string().optional(),
  /** Time of the start, by the clock of the queue. */
  startedAt: z.number(),
  /** Latest change in the first page of the current kind: later ones may be missing in the other pages. */
  newest: z.string().optional(),
  /** The teams that a wider scope added, as the configuration names them or by id. */
  teams: z.array(z.string()).optional(),
  /** Number of times that the provider refused a cursor of the current kind. */
  restarts: z.number().default(0),
});

export type SyncWork = z.output<typeof workShape>;

export const syncStateShape = z.object({
  /** The configuration that the files follow. */
  configuration: trackerConfigurationShape.optional(),
  /** Ids of the teams in scope. The account may see other ones later. */
  teams: z.array(z.string()).default([]),
  /** Start of the last run of everything that is complete. */
  sweptAt: z.number().optional(),
  /** Time of the latest change of each kind that was read. */
  readUpTo: z.record(z.string(), z.string()),
  work: workShape.optional(),
});

/** The progress of reading the content of a connection. It moves in the transaction that queues what was read. */
export type SyncState = z.output<typeof syncStateShape>;

/** Returns whether a run looks at every entity, so that it finds what is gone. */
export function isOfAll({ mode }: SyncWork): boolean {
  return mode === 'full' || mode === 'sweep';
}

/** Interval of the sweeps. Only they find what was deleted or changed without an event, and without a new time. */
const sweepMs = 24 * 3_600_000;

/** The present configuration, and the ids of the teams that it names and the account sees. */
export interface Wanted {
  readonly configuration: TrackerConfiguration;
  readonly teams: readonly string[];
}

/** Returns whether a step begins with a new plan; otherwise it goes on with the work of the state. */
export function needsPlan(
  { configuration: former, work }: SyncState,
  next: TrackerConfiguration,
  full: boolean,
): boolean {
  const isNew = former === undefined || !isDeepStrictEqual(former, next);
  return isNew || work === undefined || (full && !isOfAll(work));
}

/** Returns the work that is due, in place of that of the state. */
export function plannedWork(
  state: SyncState,
  { configuration, teams }: Wanted,
  full: boolean,
  now: number,
): SyncWork {
  const { configuration: former, work, sweptAt } = state;
  const everything = workOnEverything(configuration, now);
  // Work that was not finished may have added something else.
  if (former === undefined || (work !== undefined && work.mode !== 'changes')) return everything;
  const widened = widenedBy(former, configuration);
  if (widened === 'rendering') return everything;
  const isSame = isDeepStrictEqual(former, configuration);
  const gained = isSame ? teams.filter((id) => !state.teams.includes(id)) : [];
  const isUnchanged = isSame && gained.length === 0;
  if (full || sweptAt === undefined || now - sweptAt >= sweepMs) {
    return isUnchanged ? { ...everything, mode: 'sweep' } : everything;
  }
  if (isUnchanged) return { ...everything, mode: 'changes' };
  const added = gained.length > 0 ? { kinds: enabledKinds(configuration), teams: gained } : widened;
  return {
    ...everything,
    mode: 'added',
    kinds: [...added.kinds],
    total: added.kinds.length,
    ...(added.teams && { teams: [...added.teams] }),
  };
}

/** Returns the work that reads every entity. */
export function workOnEverything(configuration: TrackerConfiguration, now: number): SyncWork {
  const parts = partKinds.filter((kind) => partFamilies[kind].isOn(configuration.content));
  const kinds = [...parts, ...enabledKinds(configuration)];
  return { startedAt: now, step: 'list', restarts: 0, changed: [], mode: 'full', kinds, total: kinds.length };
}

/** Returns the state after the current kind was read completely. */
export function afterKind(state: SyncState, work: SyncWork): SyncState {
  const [kind, ...kinds] = work.kinds;
  const readUpTo =
    kind === undefined || work.newest === undefined
      ? state.readUpTo
      : { ...state.readUpTo, [kind]: work.newest };
  if (kinds.length > 0) {
    const { cursor: _cursor, newest: _newest, ...kept } = work;
    return { ...state, readUpTo, work: { ...kept, kinds, step: 'list', restarts: 0, changed: [] } };
  }
  const { work: _work, ...rest } = state;
  return { ...rest, readUpTo, ...(isOfAll(work) && { sweptAt: work.startedAt }) };
}

import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { SyncReader } from './source.ts';

const readingShape = z.object({
  /** `missing` fetches the entities that the list did not contain. */
  step: z.enum(['list', 'missing']),
  cursor: z.unknown().optional(),
  /** The place from which the next changes are read, once the list is read. */
  readUpTo: z.string().optional(),
  /** Entities of the last page that differ from the mirror. */
  changed: z.array(z.string()),
});

/** The progress of reading a family. */
export type Reading = z.output<typeof readingShape>;

const workShape = z.object({
  mode: z.enum(['full', 'sweep', 'added', 'changes']),
  /** The families that are left, the current one first. */
  families: z.array(z.string()),
  /** Number of families at the start. */
  total: z.number(),
  /** Time of the start, by the clock of the queue. */
  startedAt: z.number(),
  added: z.unknown().optional(),
  /** True if it was planned because the state was outdated. */
  isAgain: z.boolean().optional(),
  /** The families that are read in part. */
  readings: z.record(z.string(), readingShape),
});

export type SyncWork = z.output<typeof workShape>;

export const syncStateShape = z.object({
  /** The configuration that the files follow. */
  configuration: z.record(z.string(), z.unknown()).optional(),
  /** Ids of what the scope names. The account may see other ones later. */
  places: z.array(z.string()).default([]),
  /** Start of the last run over everything that is complete. */
  sweptAt: z.number().optional(),
  /** True if the provider gave out a family again that something was read without. All is compared again then. */
  isOutdated: z.boolean().optional(),
  /** The place from which the next changes of each family are read. */
  readUpTo: z.record(z.string(), z.string()),
  work: workShape.optional(),
});

/** The family of the checkpoint of a comparison. */
export const contentFamily = 'content';

/** The progress of the comparisons of a connection. It moves in the transaction that queues what was read. */
export type SyncState = z.output<typeof syncStateShape>;

/** A comparison of the provider with the mirrored files that goes on, as the record shows it. */
export const syncRun = z.object({
  phase: z
    .enum(['full', 'added', 'changes'])
    .describe(
      '`full` compares all entities, `added` reads what a wider scope added, `changes` what changed since the last.',
    ),
  done: z.int().describe('Kinds of records that are done.'),
  total: z.int(),
});
export type SyncRun = z.output<typeof syncRun>;

/** Returns what the record shows while a comparison goes on; `undefined` at its end. */
export function runOf({ work }: SyncState): SyncRun | undefined {
  if (work === undefined) return undefined;
  const { mode, families, total } = work;
  return { phase: mode === 'sweep' ? 'full' : mode, done: total - families.length, total };
}

/** Returns whether a run looks at every entity, so that it finds what is gone. */
export function isOfAll({ mode }: Pick<SyncWork, 'mode'>): boolean {
  return mode === 'full' || mode === 'sweep';
}

/** Interval of the sweeps. Only they find what was deleted or changed without an event, and without a new time. */
const sweepMs = 24 * 3_600_000;

interface Wanted {
  readonly places: readonly string[];
  readonly full: boolean;
  readonly now: number;
}

/** Returns the work that is due, in place of that of the state. */
export function plannedWork(
  state: SyncState,
  reader: Pick<SyncReader, 'configuration' | 'familiesOf' | 'widenedBy'>,
  { places, full, now }: Wanted,
): SyncWork {
  const { configuration: former, work, sweptAt, isOutdated = false, readUpTo } = state;
  const planned = (mode: SyncWork['mode'], families: readonly string[], added?: unknown): SyncWork => {
    const total = families.length;
    return { mode, families: [...families], total, startedAt: now, added, isAgain: isOutdated, readings: {} };
  };
  const everything = (mode: SyncWork['mode']) => planned(mode, reader.familiesOf('full', readUpTo));
  // Work that was not finished may have added something else.
  if (former === undefined || (work !== undefined && work.mode !== 'changes')) return everything('full');
  const widened = reader.widenedBy(former);
  if (widened === 'rendering') return everything('full');
  const isSame = isDeepStrictEqual(former, reader.configuration);
  const gained = isSame ? places.filter((id) => !state.places.includes(id)) : [];
  const isUnchanged = isSame && gained.length === 0;
  if (full || isOutdated || sweptAt === undefined || now - sweptAt >= sweepMs) {
    return everything(isUnchanged ? 'sweep' : 'full');
  }
  if (isUnchanged) return planned('changes', reader.familiesOf('changes', readUpTo));
  return gained.length > 0
    ? planned('added', reader.familiesOf('full', readUpTo), gained)
    : planned('added', widened.families, widened.added);
}

/** Returns the state after a family. `readUpTo`: absent if it was not read to its end. */
export function afterFamily(
  state: SyncState,
  work: SyncWork,
  name: string,
  readUpTo: string | undefined,
): SyncState {
  const { [name]: _done, ...readings } = work.readings;
  const read = readUpTo === undefined ? state.readUpTo : { ...state.readUpTo, [name]: readUpTo };
  const families = work.families[0] === name ? work.families.slice(1) : work.families;
  if (families.length > 0) return { ...state, readUpTo: read, work: { ...work, families, readings } };
  const { work: _work, ...rest } = state;
  return { ...rest, readUpTo: read, ...(isOfAll(work) && { sweptAt: work.startedAt }) };
}

import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { type OncallConfiguration, oncallConfigurationShape } from '../configuration.ts';
import { widenedBy } from './widening.ts';

const dayMs = 86_400_000;

/** Longest range of one list of incidents; the provider refuses more than six months. */
export const windowMs = 90 * dayMs;
/** Time between two sweeps (contract section 7). */
const sweepMs = dayMs;

/**
 * The place of a sweep: services first, then the incidents of one group of services after the other, then what was not
 * seen.
 */
const sweep = z.object({
  /** Time of its start by the clock of the queue; entities seen before are not seen by it. */
  startedAt: z.number(),
  /** End of the range of its incidents. */
  until: z.number(),
  phase: z.enum(['services', 'incidents', 'unseen']),
  /** Number of services, or of groups of services, that are done. */
  index: z.number(),
  /** Place at which the list of the group goes on; absent at its start. */
  since: z.number().optional(),
  offset: z.number(),
  /** True if incidents are read whole although the mirror has them, because their files have another content. */
  whole: z.boolean().default(false),
  /** True if the provider did not give out the services. */
  withoutServices: z.boolean().default(false),
  /** The services that are read, if a wider scope added something; absent if everything is read. */
  services: z.array(z.string()).optional(),
});

/** The progress of comparing a connection with the provider. */
export const syncStateShape = z.object({
  /** The configuration that the files follow. */
  configuration: oncallConfigurationShape.optional(),
  /** Log entries are read up to this time. */
  readUpTo: z.number().optional(),
  /** The part of the log that is read at present: its end, and the place at which reading goes on. */
  log: z
    .object({ end: z.number(), position: z.object({ until: z.number().optional(), offset: z.number() }) })
    .optional(),
  /** Start of the last complete sweep. A day after it, the next one is due. */
  sweptAt: z.number().optional(),
  sweep: sweep.optional(),
});

export type Sweep = z.output<typeof sweep>;
export type SyncState = z.output<typeof syncStateShape>;

/** A request for a comparison, and its times. */
export interface SweepRequest {
  readonly configuration: OncallConfiguration;
  readonly full: boolean;
  /** By the clock of the queue. */
  readonly now: number;
  /** By the clock of the provider. */
  readonly providerNow: number;
}

/** Returns whether a step begins with a new plan; otherwise it goes on with the sweep of the state, or with the log. */
export function needsPlan(
  { configuration: former, sweep: present, sweptAt }: SyncState,
  { configuration, full, now }: SweepRequest,
): boolean {
  const isDue = present === undefined && (sweptAt === undefined || now - sweptAt >= sweepMs);
  return full || isDue || !isDeepStrictEqual(former, configuration);
}

/** Returns the state with the sweep that is due, if there is one. What changes after its start is found by the log. */
export function planned(state: SyncState, request: SweepRequest): SyncState {
  const { configuration: former, sweptAt, sweep: present, ...rest } = state;
  const { configuration, full, now, providerNow } = request;
  const started = {
    startedAt: now,
    until: providerNow,
    phase: 'services',
    index: 0,
    offset: 0,
    whole: false,
    withoutServices: false,
  } as const;
  const readUpTo = state.readUpTo ?? providerNow;
  const next = { ...rest, configuration, readUpTo, ...(sweptAt !== undefined && { sweptAt }) };
  if (former === undefined || sweptAt === undefined) return { ...next, sweep: { ...started, whole: true } };
  const widened = widenedBy(former, configuration);
  const isOtherwise = widened === 'rendering' || present?.whole === true;
  // Work that was not finished may have added something else.
  if (isOtherwise || full || present !== undefined || now - sweptAt >= sweepMs) {
    return { ...next, sweep: { ...started, whole: isOtherwise } };
  }
  const { services, until = providerNow } = widened;
  return services.length === 0 ? next : { ...next, sweep: { ...started, until, services: [...services] } };
}

/** Returns the state after its sweep. */
export function withoutSweep({ sweep: done, ...state }: SyncState): SyncState {
  const isOfAll = done !== undefined && done.services === undefined;
  return { ...state, ...(isOfAll && { sweptAt: done.startedAt }) };
}

/** Delay until incidents are asked for again that the provider refused, in milliseconds. */
const refusedMs = 10 * 60_000;

/** Returns the state after a sweep whose incidents the provider refused: the next one is due soon. */
export function afterRefusal({ sweep: _sweep, ...state }: SyncState, now: number): SyncState {
  return { ...state, sweptAt: now - sweepMs + refusedMs };
}

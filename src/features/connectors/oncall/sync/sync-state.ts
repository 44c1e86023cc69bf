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
  /** The services that are read, if a wider scope added something; absent if everything is read. */
  services: z.array(z.string()).optional(),
});

/** The progress of comparing a connection with the provider. */
export const syncStateShape = z.object({
  /** The configuration that the files follow. */
  configuration: oncallConfigurationShape.optional(),
  /** Log entries are read up to this time. */
  readUpTo: z.number().optional(),
  /** Start of the last complete sweep. */
  sweptAt: z.number().optional(),
  sweep: sweep.optional(),
});

export type Sweep = z.output<typeof sweep>;
export type SyncState = z.output<typeof syncStateShape>;

/** The family of the checkpoint. */
export const contentFamily = 'content';

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
  const started = { startedAt: now, until: providerNow, phase: 'services', index: 0, offset: 0 } as const;
  const readUpTo = state.readUpTo ?? providerNow;
  const next = { ...rest, configuration, readUpTo, ...(sweptAt !== undefined && { sweptAt }) };
  // Work that was not finished may have added something else.
  const isUnknown = former === undefined || sweptAt === undefined || present !== undefined;
  if (full || isUnknown || now - sweptAt >= sweepMs) return { ...next, sweep: started };
  const widened = widenedBy(former, configuration);
  if (widened === 'rendering') return { ...next, sweep: started };
  const { services, until = providerNow } = widened;
  return services.length === 0 ? next : { ...next, sweep: { ...started, until, services: [...services] } };
}

/** Returns the state after its sweep. */
export function withoutSweep({ sweep: done, ...state }: SyncState): SyncState {
  const isOfAll = done !== undefined && done.services === undefined;
  return { ...state, ...(isOfAll && { sweptAt: done.startedAt }) };
}

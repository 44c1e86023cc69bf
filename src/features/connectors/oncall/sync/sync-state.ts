import { z } from 'zod';

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
});

/** The progress of comparing a connection with the provider. */
export const syncStateShape = z.object({
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

export function isSweepDue({ sweptAt, sweep: present }: SyncState, full: boolean, now: number): boolean {
  return full || (present === undefined && (sweptAt === undefined || now - sweptAt >= sweepMs));
}

/** Returns the state with a new sweep. What changes after its start is found by the log. */
export function withNewSweep(state: SyncState, now: number, providerNow: number): SyncState {
  const started: Sweep = { startedAt: now, until: providerNow, phase: 'services', index: 0, offset: 0 };
  return { ...state, readUpTo: state.readUpTo ?? providerNow, sweep: started };
}

export function withoutSweep({ sweep: done, ...state }: SyncState): SyncState {
  return { ...state, ...(done !== undefined && { sweptAt: done.startedAt }) };
}

import type { ConnectionId, MirrorTargetId, OrganizationId } from '../../foundation/kernel/ids.ts';

/** One branch of one repository that content is mirrored into. It belongs to one organization. */
export interface MirrorTarget {
  readonly id: MirrorTargetId;
  readonly organizationId: OrganizationId;
  /** Of the connection whose credentials push; `undefined` where the address needs none. */
  readonly githostConnectionId: ConnectionId | undefined;
  /** As `parseSource` reads it back. */
  readonly source: string;
  readonly branch: string;
  /** The last commit that was pushed. */
  readonly head: string | undefined;
  /** When, ms by the clock of the queue. */
  readonly committedAt: number | undefined;
  /** What keeps changes from being pushed; `undefined` when the last push went through. */
  readonly error: MirrorError | undefined;
}

export interface MirrorError {
  readonly code: string;
  /** For people, naming the next step; free of secrets. */
  readonly message: string;
  /** True when only somebody's work can mend it: a protected branch, a missing permission. */
  readonly permanent: boolean;
  /** Ms by the clock of the queue. */
  readonly at: number;
}

/** Between two commits of a target, in ms: what changes meanwhile becomes one commit. The first comes at once. */
const commitSpacingMs = 2_000;

/** How long a permanent error is believed, in ms: new changes try again once after it. */
export const errorHoldMs = 15 * 60_000;

/**
 * Before when a target takes no other commit, like `now` in ms by the clock of the queue. A commit in the future was
 * timed by a clock that has been set back since, and says nothing.
 */
export function spacedUntil({ committedAt }: Pick<MirrorTarget, 'committedAt'>, now: number): number {
  return committedAt === undefined || committedAt > now ? 0 : committedAt + commitSpacingMs;
}

/** Before when new changes do not try again what only a person can mend; as above, for an error in the future, too. */
export function heldUntil({ error }: Pick<MirrorTarget, 'error'>, now: number): number {
  return error?.permanent === true && error.at <= now ? error.at + errorHoldMs : 0;
}

import { z } from 'zod';
import type { ConnectionId, MirrorTargetId, OrganizationId } from '../../foundation/kernel/ids.ts';

/** A branch of a repository into which content is mirrored. It belongs to one organization. */
export interface MirrorTarget {
  readonly id: MirrorTargetId;
  readonly organizationId: OrganizationId;
  /** Connection whose credentials push; `undefined` if the address needs none. */
  readonly githostConnectionId: ConnectionId | undefined;
  /** The Git host's own id, to which the credentials of a push are limited; `undefined` if the host knows none. */
  readonly hostRepositoryId: string | undefined;
  /** The address, in the form that `parseSource` accepts. */
  readonly source: string;
  readonly branch: string;
  /** The last pushed commit. */
  readonly head: string | undefined;
  /** Time of that push, in milliseconds by the clock of the queue. */
  readonly committedAt: number | undefined;
  /** The commit of a push that has begun and whose end is not recorded. */
  readonly pushing: string | undefined;
  /** The tip that the mirrored files were compared with last. */
  readonly compared: ComparedTip | undefined;
  /** The error that blocks pushes; `undefined` if the last push succeeded. */
  readonly error: MirrorError | undefined;
}

/** The tip of a branch that the files of a target were compared with. */
export const comparedTip = z.object({
  /** The commit; absent if there was no branch. */
  commit: z.string().optional(),
  /** The ids of its folders that are mirrored, from `folderIds`. */
  folders: z.string(),
});
export type ComparedTip = z.output<typeof comparedTip>;

export const mirrorError = z.object({
  code: z.string(),
  /** Message for people that names the next step; contains no secrets. */
  message: z.string(),
  /** True if only a person can fix it: a protected branch or a missing permission. */
  permanent: z.boolean(),
  /** Milliseconds by the clock of the queue. */
  at: z.number(),
  /** Number of failures in a row. */
  failures: z.number(),
  /** Time of the next attempt, by the clock of the queue; absent if the error blocks no commit. */
  retryAt: z.number().optional(),
});
export type MirrorError = z.output<typeof mirrorError>;

/** Minimum interval between two commits of a target, in milliseconds. Changes meanwhile become one commit. */
const commitIntervalMs = 2_000;

/** Delays of the attempts after a failure, in milliseconds: doubled each time, up to the longest. */
const retryDelayMs = { first: 15_000, longest: 15 * 60_000 } as const;

/** Returns the delay of the next attempt after some failures in a row. `random` returns a number in [0, 1). */
export function retryDelay(failures: number, random: () => number = Math.random): number {
  const delay = Math.min(retryDelayMs.longest, retryDelayMs.first * 2 ** Math.max(0, failures - 1));
  // Targets that failed together are not tried together.
  return Math.round(delay * (0.8 + 0.2 * random()));
}

/**
 * Returns the time before which a target must not get another commit, in milliseconds by the clock of the queue. A
 * commit time in the future comes from a clock that was set back since, and is ignored.
 */
export function earliestCommitTime({ committedAt }: Pick<MirrorTarget, 'committedAt'>, now: number): number {
  return committedAt === undefined || committedAt > now ? 0 : committedAt + commitIntervalMs;
}

/**
 * Returns the time of the next attempt after a permanent error, which new changes wait for. An error time in the future
 * is ignored.
 */
export function earliestRetryTime({ error }: Pick<MirrorTarget, 'error'>, now: number): number {
  return error?.permanent === true && error.at <= now ? (error.retryAt ?? 0) : 0;
}

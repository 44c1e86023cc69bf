import type { UserId } from '../../../foundation/kernel/ids.ts';

/** A browser that is signed in. */
export interface BrowserSession {
  /** Of its token; names the session without being able to open it. */
  readonly hash: string;
  readonly userId: UserId;
  readonly email: string;
}

export interface NewSession {
  /** 43 base64url characters: the value of the cookie, and the one time it is known. */
  readonly token: string;
  /** Milliseconds since the epoch. It moves on with each use, up to `sessionLimits.longestMs`. */
  readonly expiresAt: number;
}

const day = 24 * 3_600_000;

export const sessionLimits = {
  /** Without a request. */
  idleMs: 14 * day,
  /** However much it is used. */
  longestMs: 90 * day,
  /** Of one user; a further one ends the one that was used least recently. */
  perUser: 50,
  /** Last use is for people to recognise a session by: a minute is exact enough, and most requests write nothing. */
  lastSeenPrecisionMs: 60_000,
} as const;

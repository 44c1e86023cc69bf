import type { UserId } from '../../../foundation/kernel/ids.ts';

/** The session of a signed-in browser. */
export interface BrowserSession {
  /** Hash of the token. It identifies the session without giving access to it. */
  readonly hash: string;
  readonly userId: UserId;
  readonly email: string;
}

export interface NewSession {
  /** Value of the cookie: 43 base64url characters. Only its hash is stored, so it cannot be returned again. */
  readonly token: string;
  /** Milliseconds since the epoch. Each use extends it, up to `sessionLimits.maxMs`. */
  readonly expiresAt: number;
}

const day = 24 * 3_600_000;

export const sessionLimits = {
  /** Lifetime without a request, in milliseconds. */
  idleMs: 14 * day,
  /** Maximum lifetime regardless of use, in milliseconds. */
  maxMs: 90 * day,
  /** Maximum number of sessions of a user. A further one ends the least recently used. */
  perUser: 50,
  /**
   * Precision of the last use, in milliseconds. Users only need it to recognize a session, and most requests then write
   * nothing.
   */
  lastSeenPrecisionMs: 60_000,
} as const;

import type { Clock } from '../../foundation/kernel/clock.ts';
import { untilAborted } from '../../foundation/net/until-aborted.ts';

/** A token of a Git host and the time at which the host stops accepting it. */
export interface ExpiringToken {
  readonly token: string;
  readonly expiresAt: number;
}

/** Caches tokens in memory, for one process. */
export interface TokenCache {
  /**
   * Returns the cached token for `key`, or the result of `fetch`. Callers that ask while a fetch runs share it. The
   * key must identify the credentials that `fetch` uses, so that nobody receives a token of other credentials.
   */
  get(
    key: string,
    fetch: (signal: AbortSignal) => Promise<ExpiringToken>,
    signal: AbortSignal,
  ): Promise<string>;
  /** Forgets `token`, because the host refused it. Does nothing if `key` has another token by now. */
  forget(key: string, token: string): void;
}

/** A token is replaced this long before it expires, so that a long push does not outlive it. */
const marginMs = 5 * 60_000;
/** Maximum number of cached tokens; the oldest is dropped. */
const maxTokens = 1_000;
/** Time limit of a fetch. It belongs to no single caller: one that gives up must not fail the others. */
const fetchTimeoutMs = 30_000;

export function createTokenCache(clock: Clock): TokenCache {
  const tokens = new Map<string, ExpiringToken>();
  const fetches = new Map<string, Promise<ExpiringToken>>();

  function refresh(key: string, fetch: (signal: AbortSignal) => Promise<ExpiringToken>) {
    const running = fetches.get(key);
    if (running !== undefined) return running;
    const started = fetch(AbortSignal.timeout(fetchTimeoutMs))
      .then((token) => {
        tokens.delete(key);
        tokens.set(key, token);
        const [oldest] = tokens.keys();
        if (tokens.size > maxTokens && oldest !== undefined) tokens.delete(oldest);
        return token;
      })
      .finally(() => fetches.delete(key));
    fetches.set(key, started);
    return started;
  }

  return {
    async get(key, fetch, signal) {
      signal.throwIfAborted();
      const cached = tokens.get(key);
      if (cached !== undefined && cached.expiresAt - marginMs > clock()) return cached.token;
      return (await untilAborted(refresh(key, fetch), signal)).token;
    },
    forget(key, token) {
      if (tokens.get(key)?.token === token) tokens.delete(key);
    },
  };
}

import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

export interface InFlight {
  /** Waits until no request is in flight, for at most `timeoutMs`. */
  untilNone(timeoutMs: number): Promise<void>;
}

/** Counts the requests that a server is answering. */
export function watchInFlight(server: Server): InFlight {
  let count = 0;
  let onNone: (() => void) | undefined;
  const watch = (_request: IncomingMessage, response: ServerResponse): void => {
    count += 1;
    response.once('close', () => {
      count -= 1;
      if (count === 0) onNone?.();
    });
  };
  // A request with `Expect` is announced by another event.
  server.on('request', watch).on('checkContinue', watch).on('checkExpectation', watch);
  return {
    async untilNone(timeoutMs) {
      if (count === 0) return;
      const done = new AbortController();
      onNone = () => done.abort();
      await sleep(timeoutMs, undefined, { signal: done.signal }).catch(() => undefined);
    },
  };
}

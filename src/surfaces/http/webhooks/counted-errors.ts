import type { FastifyBaseLogger } from 'fastify';
import { OrgctxError } from '../../../foundation/kernel/errors.ts';

export interface CountedErrors {
  /** Logs the first error of each kind in a minute, and then the number of the others in that minute. */
  log(error: unknown, log: FastifyBaseLogger): void;
  /** Logs the counts so far. */
  close(): void;
}

const minuteMs = 60_000;

/**
 * Aggregates the errors of a route without authentication, so that unauthenticated callers cannot fill the log. Each
 * kind is logged at once. A kind is a code and detail, both of which the service defines.
 */
export function countedErrors(root: FastifyBaseLogger, everyMs = minuteMs): CountedErrors {
  let counted = new Map<string, { readonly code: string; further: number }>();
  let timer: NodeJS.Timeout | undefined;

  const flush = (): void => {
    const before = counted;
    counted = new Map();
    timer = undefined;
    for (const { code, further } of before.values()) {
      if (further > 0) root.warn({ code, further }, 'more webhooks were refused for the same reason');
    }
  };
  return {
    log(error, log) {
      const { code, detail } = error instanceof OrgctxError ? error : { code: 'internal', detail: undefined };
      const kind = `${code} ${JSON.stringify(detail)}`;
      const known = counted.get(kind);
      if (known !== undefined) {
        known.further += 1;
        return;
      }
      counted.set(kind, { code, further: 0 });
      timer ??= setTimeout(flush, everyMs).unref();
      const expected = error instanceof OrgctxError && error.cause === undefined;
      if (expected) log.warn({ code, detail }, 'webhook refused');
      else log.error({ err: error }, 'webhook refused');
    },
    close() {
      clearTimeout(timer);
      flush();
    },
  };
}

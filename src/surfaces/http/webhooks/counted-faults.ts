import type { FastifyBaseLogger } from 'fastify';
import { OrgctxError } from '../../../foundation/kernel/errors.ts';

export interface CountedFaults {
  /** Logs the first of its kind in a minute as it is, and of the others of that minute how many they were. */
  log(fault: unknown, log: FastifyBaseLogger): void;
  /** Logs what is counted so far. */
  close(): void;
}

const minuteMs = 60_000;

/**
 * Anybody can bring about the refusals of a route without sign-in: the log shows each kind at once and is not filled by
 * them. Kinds are told apart by code and detail, both of our own making.
 */
export function countedFaults(root: FastifyBaseLogger, everyMs = minuteMs): CountedFaults {
  let counted = new Map<string, { readonly code: string; further: number }>();
  let timer: NodeJS.Timeout | undefined;

  const tell = (): void => {
    const before = counted;
    counted = new Map();
    timer = undefined;
    for (const { code, further } of before.values()) {
      if (further > 0) root.warn({ code, further }, 'more webhooks were refused like the last');
    }
  };
  return {
    log(fault, log) {
      const { code, detail } = fault instanceof OrgctxError ? fault : { code: 'internal', detail: undefined };
      const kind = `${code} ${JSON.stringify(detail)}`;
      const known = counted.get(kind);
      if (known !== undefined) {
        known.further += 1;
        return;
      }
      counted.set(kind, { code, further: 0 });
      timer ??= setTimeout(tell, everyMs).unref();
      const expected = fault instanceof OrgctxError && fault.cause === undefined;
      if (expected) log.warn({ code, detail }, 'webhook refused');
      else log.error({ err: fault }, 'webhook refused');
    },
    close() {
      clearTimeout(timer);
      tell();
    },
  };
}

import type { FastifyBaseLogger } from 'fastify';
import { OrgctxError, Unavailable } from '../../foundation/kernel/errors.ts';

/** Logs the relevant fields of an expected error, and everything including the stack of an unexpected one. */
export function logError(error: unknown, log: FastifyBaseLogger): void {
  const expected = error instanceof OrgctxError && (error.status < 500 || isExpected(error));
  if (!expected) return log.error({ err: error }, 'request failed');
  const { code, detail, cause, status } = error;
  if (status >= 500) return log.warn({ code, detail }, 'request refused');
  if (detail !== undefined || cause !== undefined) log.info({ code, detail, err: cause }, 'request refused');
}

/** Returns whether the error explains itself, like `overloaded`; an error with a cause does not. */
function isExpected(error: OrgctxError): boolean {
  return error instanceof Unavailable && error.cause === undefined;
}

import type { FastifyBaseLogger } from 'fastify';
import { OrgctxError, Unavailable } from '../../foundation/kernel/errors.ts';

/** Of a fault that is expected, what is worth knowing; of any other one everything, its stack too. */
export function logFault(fault: unknown, log: FastifyBaseLogger): void {
  const expected = fault instanceof OrgctxError && (fault.status < 500 || isExpected(fault));
  if (!expected) return log.error({ err: fault }, 'request failed');
  const { code, detail, cause, status } = fault;
  if (status >= 500) return log.warn({ code, detail }, 'request refused');
  if (detail !== undefined || cause !== undefined) log.info({ code, detail, err: cause }, 'request refused');
}

/** `overloaded` and the like say all there is to know; behind any other one stands its cause. */
function isExpected(fault: OrgctxError): boolean {
  return fault instanceof Unavailable && fault.cause === undefined;
}

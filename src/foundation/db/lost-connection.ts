import { errorCode } from '../kernel/error-code.ts';
import { Unavailable } from '../kernel/errors.ts';

/** Until a database that restarts answers again, in seconds. */
const retryAfter = 5;

const lostCodes = [
  // Of the socket.
  /^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)$/,
  // PostgreSQL, appendix A: class 08 connection exception, 57P01 to 57P03 shutdown and start-up, 53300 too many
  // connections.
  /^(08...|57P0[123]|53300)$/,
  /^SQLITE_(IOERR|CANTOPEN|FULL)/,
];

/** Errors of the driver's own have no code. */
const lostMessages =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error)/;

/**
 * The error as callers shall see it: a database that is away is no fault of ours or theirs, but a reason to come
 * back.
 */
export function explainLoss(error: unknown): unknown {
  return isLost(error) ? databaseUnavailable(error) : error;
}

export function databaseUnavailable(cause: unknown): Unavailable {
  return new Unavailable('database_unavailable', 'The database does not answer; try again in a moment.', {
    cause,
    retryAfter,
  });
}

function isLost(error: unknown): boolean {
  const code = errorCode(error);
  if (code !== undefined) return lostCodes.some((codes) => codes.test(code));
  return error instanceof Error && lostMessages.test(error.message);
}

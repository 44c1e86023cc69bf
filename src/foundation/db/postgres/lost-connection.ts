import { errorCode, isDiskFull } from '../../kernel/error-code.ts';
import { explainDiskFull, Unavailable } from '../../kernel/errors.ts';

/** Retry-After for callers, in seconds: the typical time of a database restart. */
const retryAfter = 5;

const lostCodes = [
  // Socket errors.
  /^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)$/,
  // PostgreSQL, appendix A: class 08 connection exception, 57P01 to 57P03 shutdown and start-up, 53300 too many
  // connections.
  /^(08...|57P0[123]|53300)$/,
  /^SQLITE_(IOERR|CANTOPEN)/,
];

/** Messages of errors that the driver itself creates, which have no code. */
const lostMessages =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error)/;

/**
 * Converts an error of a lost connection or a full disk to `Unavailable`, since the caller can only retry. Other
 * errors are returned unchanged.
 */
export function explainLoss(error: unknown): unknown {
  return isLost(error) && !isDiskFull(error) ? databaseUnavailable(error) : explainDiskFull(error);
}

export function databaseUnavailable(cause: unknown): Unavailable {
  return new Unavailable('database_unavailable', 'The database is not responding. Try again in a moment.', {
    cause,
    retryAfter,
  });
}

/** A server that stops removes its socket, hence ENOENT. */
function isLost(error: unknown): boolean {
  const code = errorCode(error);
  if (code === 'ENOENT' && error instanceof Error && 'syscall' in error && error.syscall === 'connect')
    return true;
  if (code !== undefined) return lostCodes.some((codes) => codes.test(code));
  return error instanceof Error && lostMessages.test(error.message);
}

/** Returns the `code` of an error from Node, a driver or a library, such as `ENOENT`, `SQLITE_BUSY` or a SQLSTATE. */
export function errorCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/**
 * Codes of a full disk or disk quota: of the system, of SQLite, and of PostgreSQL (disk_full). SQLite reports
 * `SQLITE_IOERR_SHMSIZE` if there is no space for the shared memory file of its first connection.
 */
const diskFullCodes = ['ENOSPC', 'EDQUOT', 'SQLITE_FULL', 'SQLITE_IOERR_SHMSIZE', '53100'];

/** Returns whether a write failed because the disk or the disk quota is full. */
export function isDiskFull(error: unknown): boolean {
  return diskFullCodes.includes(errorCode(error) ?? '');
}

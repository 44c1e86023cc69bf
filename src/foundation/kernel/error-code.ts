/** The code that Node, a driver or a library put on its error: `ENOENT`, `SQLITE_BUSY`, a SQLSTATE. */
export function errorCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

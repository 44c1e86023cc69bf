/**
 * Parses a user code: eight of the twenty unambiguous letters, in any grouping. Returns `undefined` for other input.
 */
export function parseUserCode(typed: string): string | undefined {
  const letters = typed.slice(0, 100).toUpperCase().replaceAll(/[\s-]/g, '');
  return /^[BCDFGHJKLMNPQRSTVWXZ]{8}$/.test(letters) ? letters : undefined;
}

/** Formats a user code as devices display it: two groups of four letters. */
export function formatUserCode(userCode: string): string {
  return `${userCode.slice(0, 4)}-${userCode.slice(4)}`;
}

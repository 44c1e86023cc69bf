/** Eight letters of the twenty that are hard to mistake, however they are grouped; `undefined` for anything else. */
export function parseUserCode(typed: string): string | undefined {
  const letters = typed.slice(0, 100).toUpperCase().replaceAll(/[\s-]/g, '');
  return /^[BCDFGHJKLMNPQRSTVWXZ]{8}$/.test(letters) ? letters : undefined;
}

/** As devices show it: four and four. */
export function shownUserCode(userCode: string): string {
  return `${userCode.slice(0, 4)}-${userCode.slice(4)}`;
}

/** Orders texts by their UTF-16 code units, independent of the locale, for `sort` and `toSorted`. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** The end of the year 9999, in seconds since 1970: the last time that a date of RFC 3339 expresses. */
const lastTime = 253_402_300_799;

/** Parses the time of a commit, in seconds since 1970. Git accepts times that no date can express. */
export function parseCommitTime(text: string): number {
  return Math.min(Number(text), lastTime);
}

/** Returns a time no later than now, for what counts the age of a commit: its clock may have been wrong. */
export function noLaterThanNow(time: number): number {
  return Math.min(time, Math.floor(Date.now() / 1000));
}

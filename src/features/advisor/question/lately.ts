/** Asks for what was done lately, or for what came with the newest version. */
const lately =
  /\b(?:lately|recent(?:ly)?|currently|nowadays|these days|at the moment|last (?:few )?(?:weeks?|months?|year)|(?:newest|latest|current) (?:version|release|main|master|upgrade|update))\b/iu;
/** The time, in seconds before the newest commit, that is called lately. */
const latelySeconds = 365 * 86_400;

/** Returns whether a question asks for what was done lately. */
export function asksForLately(asked: string): boolean {
  return lately.test(asked);
}

/** Returns whether something was done lately, by the times of it and of the newest commit in seconds since 1970. */
export function isLately(time: number, newest: number): boolean {
  return time >= newest - latelySeconds;
}

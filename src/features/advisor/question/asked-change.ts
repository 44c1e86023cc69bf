/** What the commit did that is looked for: it began, mended or changed something; the question need not say it. */
export type Purpose = 'first' | 'fix' | 'change' | 'any';

/** What of a history is asked for: the reason of a state, its beginning, its latest changes, or a certain change. */
export type AskedPast = 'reason' | 'first' | 'last' | 'change';

const asksWhy = /\b(?:why|reason|how come|what for)\b/iu;
/** A question for the reason of an event, which a commit gives rather than a comment. */
const asksForEvent =
  /\bwhy (?:was|were|did|has|have)\b[^?]{0,120}\b(?:add|introduc|creat|renam|remov|chang|mov|replac|drop|switch|delet|deprecat|revert|rewrit|rework|refactor|taken out|taken away|thrown out)\w*/iu;
const asksWhich =
  /\b(?:which|what) (?:(?:commit|change|pull request|pr|merge request|mr|release|version|fix)s?|(?:fixed|introduced|removed|added|replaced))\b/iu;
const asksWhen = /\b(?:when (?:was|were|did)|since when|in which (?:version|release))\b/iu;
const changing =
  /\b(?:chang\w+|renam\w+|remov\w+|drop\w*|delet\w+|deprecat\w+|mov(?:e[ds]?|ing)|replac\w+|switch\w*|revert\w*|rewr\w+|rework\w*|refactor\w*|split\w*|stop\w*|broke|went away|go(?:es)? away|disappear\w*|vanish\w*|no longer|used to)\b/iu;
const fixing =
  /\b(?:fix(?:e[sd]|ing)?|(?:re)?solv(?:e[sd]?|ing)|repair(?:s|ed)?|address(?:e[sd]|ing)|patch(?:e[sd]|ing))\b/iu;
const adding =
  /\b(?:add(?:ed|s|ing)?|introduc\w+|creat\w+|implement\w*|support\w*|first|initial\w*|originally|appear\w*|land(?:ed|s)?)\b/iu;
/** Asks for what changed lately, not for a change of something that the question tells. */
const asksForLast =
  /\bwho (?:last )?(?:changed|touched|modified|edited)\b|\blast (?:change[ds]?|touched|modified|edited|commits?)\b|\b(?:changed?|changes|touched|modified) last\b|\bwhat (?:has )?changed\b|\b(?:recent|latest) (?:\w+ )?(?:changes?|commits?|edits?|work)\b|\b(?:changed|touched|modified|edited)\b[^?.,;]{0,60}\b(?:recently|lately)\b/iu;

/** Returns what of a history a question asks for. */
export function askedPast(asked: string): AskedPast {
  if (asksForLast.test(asked)) return 'last';
  if (asksWhich.test(asked)) return 'change';
  if (asksWhen.test(asked)) return changing.test(asked) || fixing.test(asked) ? 'change' : 'first';
  if (asksWhy.test(asked)) return asksForEvent.test(asked) ? 'change' : 'reason';
  return /\b(?:introduced|created|added|originally|initially|first (?:added|introduced|commit|version))\b/iu.test(
    asked,
  )
    ? 'first'
    : 'change';
}

/** Returns whether a question asks why something is so or became so. */
export function asksForReason(asked: string): boolean {
  return asksWhy.test(asked);
}

/** Returns what the commit did that a question asks for. */
export function purposeOf(asked: string): Purpose {
  if (askedPast(asked) === 'reason') return 'any';
  if (fixing.test(asked)) return 'fix';
  if (changing.test(asked)) return 'change';
  return adding.test(asked) ? 'first' : 'any';
}

const asksWhatChange = /\b(?:who|what (?:bug|problem|issue))\b/iu;

/** Returns whether a question asks for a certain commit, and not for the state of the code. */
export function asksForCommit(asked: string): boolean {
  const past = askedPast(asked);
  if (past === 'last' || past === 'reason') return false;
  return asksWhich.test(asked) || asksWhen.test(asked) || asksWhy.test(asked) || asksWhatChange.test(asked);
}

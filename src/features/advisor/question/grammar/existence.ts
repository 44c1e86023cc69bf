import { readClauses } from './clause.ts';

/** Maximum number of words of a thing. */
const maxWords = 6;
const has = /^(?:have|has|support|ship|offer|provide|include|contain|bundle|implement|know)$/iu;
const helps = /^(?:do|does|did|has|have)$/iu;
const allows = /^(?:can|could)$/iu;
const article = /^(?:a|an|any|some)$/iu;
/** Ends what is said to exist. */
const ends =
  /^(?:for|in|on|at|to|of|between|with|without|from|into|by|that|which|who|where|when|if|or|but|so|than|here|somewhere|anywhere|yet|already|out)$/iu;
/** Words that say that something is a thing, and not which one. */
const empty =
  /^(?:a|an|any|some|the|its|own|built(?:-?in)?|kind|sort|way|something|anything|like|such|as|extra|native|proper|official|no|option|setting|middlewares?|transport|plugin|hook|modules?|support|package|function|class|method|helper|feature|builder|component|integration)$/iu;

/**
 * Returns the words of the thing whose existence a question asks for: "is there a rate limiter", "does it ship CORS",
 * "can I create a record", "which one do I use to check tokens". Empty if they only say that it is a thing, such as an
 * option; `undefined` for another question.
 */
export function askedToExist(asked: string): readonly string[] | undefined {
  let found: readonly string[] | undefined;
  for (const { asks, words } of readClauses(asked)) {
    const from = asks === 'is' ? thingAfterHelper(words) : asks === 'which' ? thingAfterUse(words) : -1;
    if (from < 0) continue;
    const rest = words.slice(from);
    const end = rest.findIndex((word) => ends.test(word));
    const thing = rest.slice(0, end < 0 ? maxWords : Math.min(end, maxWords));
    const said = thing.filter((word) => !empty.test(word));
    if (said.length > 0) return said;
    found = said;
  }
  return found;
}

/** Returns where the thing begins after "is there", "does it have" or "can I create a"; -1 if nothing is one. */
function thingAfterHelper(words: readonly string[]): number {
  const there = words.findIndex((word, at) => at < 2 && /^there$/iu.test(word));
  if (there >= 0) return there + 1;
  const [helper = ''] = words;
  const verb = helps.test(helper) ? words.findIndex((word, at) => at > 1 && has.test(word)) : -1;
  if (verb > 0) return verb + 1;
  return allows.test(helper) && article.test(words[3] ?? '') ? 3 : -1;
}

/** Returns where the thing begins after "which one do I use to check"; -1 without that. */
function thingAfterUse(words: readonly string[]): number {
  const use = words.findIndex((word) => /^(?:use|take|need)$/iu.test(word));
  return use > 0 && /^to$/iu.test(words[use + 1] ?? '') ? use + 3 : -1;
}

import { type Clause, isFormOf, readClauses, verbs, wordsOf } from './clause.ts';
import { namesOf } from './relations.ts';

/** Number of characters of a prompt that are examined. */
const maxExamined = 2000;

/** Verbs that change code. */
const changing = verbs(
  'change rename remove delete modify alter refactor rewrite replace drop move loosen tighten relax deprecate flip rid become edit rework touch swap redefine retype',
);
/** Verbs that also say what a program does, and change code only where somebody plans it. */
const extending = verbs(
  'add extend adding make give split merge inline raise lower bump convert turn switch',
);
/** Those of them that are no work to be done. */
const harming = verbs('break affect impact hurt');
/** Verbs that say that somebody means to do something. */
const intending = verbs('want plan intend think consider try hope mean wish');
const needing = verbs('need have had');
/** Verbs that say what a change leads to. */
const following = verbs(
  'break affect impact touch change update adapt adjust differ behave suffer fail follow hang depend rely notice stop keep kept hurt care mind consider remember',
);

/** Returns whether a prompt plans a change, or asks what one would lead to. */
export function asksForImpact(prompt: string, asked: string): boolean {
  if (impactOf.test(asked)) return true;
  const text = prompt.slice(0, maxExamined);
  if (!plansChange(text)) return false;
  return readClauses(asked).some(asksWhatFollows);
}

const impactOf =
  /\b(?:impact|blast radius|consequences?|side effects?|ripple effects?) of\b|\bsafe(?:ly)? (?:to )?(?:change|remove|rename|delete|modify|move)\b|\bwhat (?:else )?(?:would|will|does|do|could) (?!(?:i|we|you)\b)[^?]{0,60}\b(?:touch|affect|break|impact)(?:ed|s)?\b|\bwhat (?:happens (?:\w{1,20} )?if|breaks (?:if|when)) (?:i|we|you)\b[^?]{0,20}\b(?:chang|remov|renam|delet|touch)/iu;

/** Returns whether a clause asks what a change leads to: "what would break", "what else has to be kept in step". */
function asksWhatFollows({ asks, words }: Clause): boolean {
  if (asks === 'how' || asks === 'why' || asks === 'when' || asks === 'where') return false;
  const lower = words.map((word) => word.toLowerCase());
  const at = lower.findIndex(
    (word, index) =>
      index > 0 && isFormOf(word, following) && (index === 1 || !isArticle.test(lower[index - 1] ?? '')),
  );
  const isOther = lower.some((word) => /^(?:else|other|also|too)$/u.test(word));
  if (at < 0) return isOther;
  // "What do I have to change to get x" asks how; "what else", "what would" and "what breaks" ask what follows.
  const isOwn = lower.slice(0, at).some((word) => /^(?:i|we)$/u.test(word));
  return (
    !isOwn ||
    isOther ||
    isFormOf(lower[at] ?? '', harming) ||
    lower.slice(0, at).some((word) => /^(?:would|might|could)$/u.test(word))
  );
}

/** Returns whether a text says that somebody may change code: "I want to loosen x", "if we renamed x". */
function plansChange(text: string): boolean {
  const isName = namesOf(text);
  const sentences = text.split(/[.?!]\s+|\n+/u);
  return sentences.some((sentence) => {
    const words = wordsOf(sentence).map((word) => (isName(word) ? '\0' : word.toLowerCase()));
    return words.some((word, at) => isPlanned(words.slice(Math.max(0, at - 5), at), word));
  });
}

/** Before a word that is a noun then: "a change". */
const isArticle = /^(?:the|a|an|this|that|any|which|what)$/u;
const person = /^(?:i|we|you|someone|somebody|anyone)$/u;

/** Returns whether a verb says a change that somebody means to make, by the words before it. */
function isPlanned(before: readonly string[], word: string): boolean {
  const last = before.at(-1) ?? '';
  const isChange = !isArticle.test(last) && isFormOf(word, changing);
  if (!isChange && !isFormOf(word, extending)) return false;
  if (last === 'to' || before.at(-2) === 'to') return isIntended(before);
  if (word.endsWith('ing')) {
    const isOwn = before.some((one) => /^(?:i'm|we're|am)$/u.test(one)) || isIntended(before);
    return isOwn || (isChange && !/^(?:was|were|is|are)$/u.test(last));
  }
  const isAllowed = person.test(last) && /^(?:can|could|may|should)$/u.test(before.at(-2) ?? '');
  return isAllowed ? isChange : isSupposed(before, isChange);
}

function isIntended(before: readonly string[]): boolean {
  // "What would I have to touch" asks for work, and plans none.
  const isAsked = before.some((one) => /^(?:do|does|would|will|might|could)$/u.test(one));
  const isNeeded = !isAsked && before.at(-1) === 'to' && isFormOf(before.at(-2) ?? '', needing);
  return isNeeded || before.some((one) => /^(?:like|going|about)$/u.test(one) || isFormOf(one, intending));
}

/** Returns whether a condition precedes: "if we renamed it", not "when did we rename it". */
function isSupposed(before: readonly string[], isChange: boolean): boolean {
  const condition = before.findLastIndex((one) => /^(?:if|when|once|suppose|assuming)$/u.test(one));
  if (condition < 0) return false;
  const between = before.slice(condition + 1);
  if (between.some((one) => /^(?:did|was|were|do|does|has|have)$/u.test(one)))
    return isChange && between.includes('were');
  return isChange || (before[condition] === 'if' && between.some((one) => person.test(one)));
}

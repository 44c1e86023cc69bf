import {
  type Clause,
  isFormOf,
  objectFrom,
  type Predicate,
  predicateOf,
  readClauses,
  wordsOf,
} from './clause.ts';
import { readPrompt } from './read-prompt.ts';

/** Number of characters of a prompt that are examined for a planned change, and of words before an object. */
const max = { examined: 2000, between: 12 } as const;

const verbs = (list: string): ReadonlySet<string> => new Set(list.split(' '));

/** Verbs of which the object is used by what acts. */
const using = verbs(
  'call use invoke import reference depend rely instantiate subclass extend inherit implement consume go refer utilize',
);
const raising = verbs('raise throw reject');
const catching = verbs('catch caught rescue swallow');
/** Verbs that say what is done to a value, and are no use by themselves. */
const handling = verbs(
  'read set check write written assign modify mutate override overridden initialize initialise increment populate test validate enforce compare consult honor honour respect evaluate',
);
/** Verbs after which the object is no use: what a question says of it, or what history did to it. */
const describing = verbs(
  'happen mean own maintain review know decide determine change introduce add break broke write wrote remove rename fix cause work make made prevent stop control contain define touch affect impact come came say help ask',
);

/** Verbs that change code. */
const changing = verbs(
  'change rename remove delete modify alter refactor rewrite replace drop move loosen tighten relax deprecate flip edit rework touch swap redefine retype',
);
/** Verbs that also say what a program does, and change code only where somebody plans it. */
const extending = verbs(
  'add extend adding make give split merge inline raise lower bump convert turn switch',
);
/** Verbs that say that somebody means to do something. */
const intending = verbs('want plan intend think consider need try have hope mean wish');
/** Verbs that say what a change leads to. */
const following = verbs(
  'break affect impact touch change update adapt adjust differ behave suffer fail follow notice stop keep kept hurt care mind consider remember',
);

/** Returns whether a word is written as in code. */
function namesOf(text: string): (word: string) => boolean {
  const { identifiers } = readPrompt(text);
  const names = new Set(identifiers);
  return (word) => names.has(word) || names.has(word.replace(/'s$/u, ''));
}

/** Returns what a question asks the uses of: the object of its verb of use. */
export function usedObject(asked: string): readonly string[] | undefined {
  const noun = usesOf.exec(asked)?.[1];
  if (noun !== undefined) return objectFrom(wordsOf(noun));
  const isName = namesOf(asked);
  for (const clause of readClauses(asked)) {
    const predicate = predicateOf(clause, (word) => isFormOf(word, using), isName);
    if (predicate !== undefined && isUsable(clause, predicate, isName)) return predicate.object;
    const other = namedObject(clause, isName);
    if (other !== undefined) return [other];
  }
  return undefined;
}

const usesOf =
  /\b(?:callers?|call sites?|usages?|uses|users|references|consumers|dependents|importers|subclasses|implementations|implementers|implementors) (?:of|to)\s+((?:\S+\s?){1,5})/iu;

/** "Who uses it" asks for code; whether something uses it asks for its uses only if it is named as in code. */
function isUsable({ asks }: Clause, { object, verb }: Predicate, isName: (word: string) => boolean): boolean {
  if (/^go/u.test(verb) && !object.some(isName)) return false;
  return asks !== 'is' || object.slice(0, 2).some(isName);
}

/**
 * Returns the name as in code that any other verb acts on, if what asks is what acts: "which of them wrap the body in a
 * BodyProxy". A name after a preposition without an article is a place: "what limits the size in parseForm".
 */
function namedObject({ asks, words }: Clause, isName: (word: string) => boolean): string | undefined {
  const at = words.findIndex(isName);
  const between = words.slice(1, Math.max(1, at)).map((word) => word.toLowerCase());
  const [first = ''] = between;
  const hasVerb = (asks === 'what' && first.endsWith('s')) || (asks === 'which' && between.length > 1);
  if (!hasVerb || between.length > max.between || isPlace.test(between.at(-1) ?? '')) return undefined;
  // "What options parseArgs takes" asks for something else.
  if (/^[a-z]+s$/u.test(words[at + 1] ?? '')) return undefined;
  const isOther = (word: string): boolean =>
    saysOther.test(word) || others.some((some) => isFormOf(word, some));
  return between
    .slice(asks === 'which' ? 1 : 0)
    .some((word, index, all) => isOther(word) && !(word === 'to' && index === all.length - 1))
    ? undefined
    : words[at];
}

const isPlace = /^(?:in|inside|within|of|for|from|at|by|on|about)$/u;
/** A helping verb, a clause within the clause, or a noun of the history. */
const saysOther =
  /^(?:is|are|was|were|be|do|does|did|can|could|would|will|should|must|may|might|ha[sd]|have|if|when|while|because|that|whether|who|where|how|why|to|change|commit|pr|release|version|bug|issue|problem)$/u;
const others = [describing, handling, raising, catching];

/** The kinds of uses of a name that a question can ask for. */
export type UseVerb = 'read' | 'set' | 'check' | 'use' | 'raise' | 'catch';

const useVerbs: readonly (readonly [UseVerb, ReadonlySet<string>])[] = [
  ['catch', catching],
  ['raise', raising],
  ['check', verbs('check test validate enforce compare consult')],
  [
    'set',
    verbs(
      'set assign write written modify mutate override overridden overrode initialize initialise increment populate',
    ),
  ],
  ['read', verbs('read consume look looked honor honour respect evaluate')],
  ['use', verbs('use reference')],
];

/** Returns the verb with which a question asks for uses of a name, as its object. */
export function useVerbOf(asked: string, name: string): UseVerb | undefined {
  const isName = (word: string): boolean => word === name || word.split(/\.|::|#/u).at(-1) === name;
  const clauses = readClauses(asked);
  for (const clause of clauses) {
    for (const [use, some] of useVerbs) {
      const found = predicateOf(clause, (word) => isFormOf(word, some), isName);
      if (found?.object.slice(0, 4).some(isName) === true && !isHow(clause, found)) return use;
    }
  }
  // An error that has been raised is a question about the code that catches it.
  const isRaised = clauses.some(
    ({ words }) =>
      /\bwhat happens\b/iu.test(words.join(' ')) &&
      words.some((word) => isFormOf(word.toLowerCase(), raising)),
  );
  return isRaised ? 'catch' : undefined;
}

/** "Does x read y" and "is y set" ask whether, not where. */
function isHow({ asks }: Clause, { isActor }: Predicate): boolean {
  return asks === 'is' && !isActor;
}

/** Returns whether a prompt plans a change, or asks what one would lead to. */
export function asksForImpact(prompt: string, asked: string): boolean {
  if (impactOf.test(asked)) return true;
  const text = prompt.slice(0, max.examined);
  if (!plansChange(text)) return false;
  return readClauses(asked).some(asksWhatFollows);
}

const impactOf =
  /\b(?:impact|blast radius|consequences?|side effects?|ripple effects?) of\b|\bsafe(?:ly)? (?:to )?(?:change|remove|rename|delete|modify|move)\b|\bwhat (?:would|will|does|do|could)\b[^?]{0,60}\b(?:touch|affect|break|impact)(?:ed|s)?\b|\bwhat (?:happens (?:\w{1,20} )?if|breaks (?:if|when)) (?:i|we|you)\b[^?]{0,20}\b(?:chang|remov|renam|delet|touch)/iu;

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
  return !isOwn || isOther || lower.slice(0, at).some((word) => /^(?:would|might|could)$/u.test(word));
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

function isPlanned(before: readonly string[], word: string): boolean {
  const isNoun = isArticle.test(before.at(-1) ?? '');
  const isChange = !isNoun && isFormOf(word, changing);
  if (!isChange && !isFormOf(word, extending)) return false;
  const last = before.at(-1) ?? '';
  const isIntended = before.some((one) => /^(?:like|going|about)$/u.test(one) || isFormOf(one, intending));
  if (last === 'to' || before.at(-2) === 'to') return isIntended;
  if (word.endsWith('ing'))
    return (
      (isChange && !/^(?:was|were|is|are)$/u.test(last)) ||
      before.some((one) => /^(?:i'm|we're|am)$/u.test(one)) ||
      isIntended
    );
  if (person.test(last) && /^(?:can|could|may|should)$/u.test(before.at(-2) ?? '')) return isChange;
  const condition = before.findLastIndex((one) => /^(?:if|when|once|suppose|assuming)$/u.test(one));
  if (condition < 0) return false;
  const between = before.slice(condition + 1);
  if (between.some((one) => /^(?:did|was|were|do|does|has|have)$/u.test(one)))
    return isChange && between.includes('were');
  return isChange || (between.some((one) => person.test(one)) && before[condition] === 'if');
}

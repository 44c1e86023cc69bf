import { readPrompt } from '../prompt/read-prompt.ts';
import {
  type Clause,
  isFormOf,
  objectFrom,
  type Predicate,
  predicateOf,
  readClauses,
  verbs,
  wordsOf,
} from './clause.ts';

/** Maximum number of words between what asks and a name. */
const maxBetween = 12;

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

/** Returns whether a word is written as in code. */
export function namesOf(text: string): (word: string) => boolean {
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
  if (verb.startsWith('go') && !object.some(isName)) return false;
  return asks !== 'is' || object.slice(0, 2).some(isName);
}

/**
 * Returns the name as in code that any other verb acts on, if what asks is what acts: "which of them wrap the body in a
 * BodyProxy". A name after a preposition without an article is a place: "what limits the size in parseForm".
 */
function namedObject({ asks, words }: Clause, isName: (word: string) => boolean): string | undefined {
  if (asks !== 'what' && asks !== 'which') return undefined;
  const at = words.findIndex(isName);
  const between = words.slice(1, Math.max(1, at)).map((word) => word.toLowerCase());
  const last = between.at(-1) ?? '';
  if (between.length > maxBetween || isPlace.test(last) || saysOther.test(between[0] ?? '')) return undefined;
  // "What options parseArgs takes" asks for something else.
  if (!hasVerb(asks, between) || /^[a-z]+s$/u.test(words[at + 1] ?? '')) return undefined;
  const own = between.slice(asks === 'which' ? 1 : 0, last === 'to' ? -1 : undefined);
  return own.some(isOther) ? undefined : words[at];
}

/** Returns whether words between what asks and a name can have a verb: "wraps", "in the library wraps", "paths lead". */
function hasVerb(asks: Clause['asks'], between: readonly string[]): boolean {
  if (asks !== 'what') return between.length > 1;
  const [first = ''] = between;
  if (isPlace.test(first)) return between.slice(1, 5).some((word) => word.endsWith('s'));
  return first.endsWith('s') || (between.length > 2 && between[1]?.endsWith('s') === true);
}

const isPlace = /^(?:in|inside|within|of|for|from|at|by|on|about)$/u;
/** A helping verb, a clause within the clause, or a noun of the history. */
const saysOther =
  /^(?:is|are|was|were|be|do|does|did|can|could|would|will|should|must|may|might|ha[sd]|have|if|when|while|because|that|whether|who|where|how|why|to|change|commit|pr|release|version|bug|issue|problem)$/u;
const others = [describing, handling, raising, catching];

function isOther(word: string): boolean {
  return saysOther.test(word) || others.some((some) => isFormOf(word, some));
}

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

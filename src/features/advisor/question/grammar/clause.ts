import { isKindOfName } from '../words/kind-words.ts';

/** A clause that asks, in words. */
export interface Clause {
  /** What asks: a question word, or `is` for a question that yes or no answers. */
  readonly asks: 'what' | 'who' | 'which' | 'where' | 'how' | 'why' | 'when' | 'is';
  /** The words of the clause as written, without punctuation; begins with what asks. */
  readonly words: readonly string[];
}

/** A verb of a clause with the words that it is about. */
export interface Predicate {
  /** The verb in lower case. */
  readonly verb: string;
  /** The words of what it acts on, at most eight. */
  readonly object: readonly string[];
  /** True if what asks is what acts: "who calls it". False if the question names who acts, or nobody. */
  readonly isActor: boolean;
}

/** Maximum number of words of a clause, of an object, and of words before the question word. */
const max = { words: 60, object: 8, lead: 8 } as const;

const asking: Readonly<Record<string, Clause['asks']>> = {
  what: 'what',
  "what's": 'what',
  who: 'who',
  "who's": 'who',
  whom: 'who',
  which: 'which',
  where: 'where',
  "where's": 'where',
  how: 'how',
  why: 'why',
  when: 'when',
};
const be = /^(?:is|are|was|were|be|been|being|gets?|getting)$/iu;
const auxiliary =
  /^(?:do|does|did|can|could|would|will|should|must|may|might|shall|ha(?:s|ve|d)|don't|doesn't|didn't)$/iu;
/** Begins a clause within a clause: what follows is no part of the question itself. */
const subordinates =
  /^(?:if|when|while|because|since|unless|until|whether|that|which|who|whose|where|how|why|so|but|after|before|to)$/iu;
/** Says that the question comes after it: "tell me who", "do you know which". */
const introduces =
  /^(?:tell|show|give|find|list|name|know|see|wonder(?:ing)?|idea|clue|sure|explain|say|me|us|out|all|everything|anything|anyone|anybody|code|places?|functions?|methods?|classes|files?|modules?|tests?)$/iu;
/** Words before the question itself. */
const fillers = /^(?:and|but|so|or|also|then|now|ok|okay|hey|hi|please|by|for|in|from|on|to|besides)$/iu;
const adverbs = /^(?:not|never|ever|else|only|also|even|still|all|currently|being|[\p{L}]{2,}ly)$/iu;
const particles = /^(?:on|of|to|through|upon|into|from|via|as|with)$/iu;
const articles = /^(?:the|a|an|our|my|this|that|these|those|any|all|every|each|some|both)$/iu;

const partEnd =
  /(?<=[.?!])\s+|[,;:]\s+|\s[–—-]\s|\n+|\s(?:and|or|but)\s(?=(?:what|who|which|where|how|why|would|does|is|are)\b)/iu;

/** Returns the clauses of a text that ask something, in its order. Takes linear time. */
export function readClauses(text: string): readonly Clause[] {
  return text.split(partEnd).flatMap((part) => readClause(part) ?? []);
}

function readClause(text: string): Clause | undefined {
  const words = wordsOf(text);
  const first = words.findIndex((word) => !fillers.test(word));
  if (first < 0) return undefined;
  const begin = questionWordAt(words, first);
  return begin >= 0 ? fromQuestionWord(words.slice(begin)) : fromHelper(words.slice(first));
}

/** Returns where the question word of a clause is: at its beginning, or after what introduces it. */
function questionWordAt(words: readonly string[], first: number): number {
  const isAsking = (word: string, index: number): boolean =>
    asking[word.toLowerCase()] !== undefined || (index > first && /^that$/iu.test(word));
  const begins = words.flatMap((word, index) => {
    const isIntroduced = index === first || introduces.test(words[index - 1] ?? '');
    return isAsking(word, index) && isIntroduced && index <= first + max.lead ? [index] : [];
  });
  const [at = -1, relative = -1] = begins;
  // "Where is the code that calls it" asks what calls it.
  return relative > at + 1 && words.slice(at + 1, relative).every(isEmpty) ? relative : at;
}

function isEmpty(word: string): boolean {
  return be.test(word) || articles.test(word) || introduces.test(word);
}

function fromQuestionWord([begin = '', ...rest]: readonly string[]): Clause {
  const word = begin.toLowerCase();
  // "How many places call it" asks which.
  if (word === 'how' && /^many$/iu.test(rest[0] ?? ''))
    return { asks: 'which', words: ['which', ...rest.slice(1)] };
  return { asks: asking[word] ?? 'what', words: [word, ...(word.endsWith("'s") ? ['is'] : []), ...rest] };
}

/** Reads a question that yes or no answers. "Is there anything that calls it" asks what calls it. */
function fromHelper(words: readonly string[]): Clause | undefined {
  const [helper = '', second = ''] = words;
  const that = words.findIndex((word, index) => index <= max.lead && /^(?:that|which|who)$/iu.test(word));
  if (/^there$/iu.test(second) && that > 0) return { asks: 'what', words: words.slice(that) };
  return be.test(helper) || auxiliary.test(helper) ? { asks: 'is', words } : undefined;
}

/** Returns the words of a text without punctuation, up to a limit. Names such as `a.b`, `a::b` and `A-B` are one word. */
export function wordsOf(text: string): readonly string[] {
  return text
    .split(/[\s()"`“”]+/u)
    .map((word) => word.replaceAll('’', "'").replace(/^[^\p{L}\p{N}_$@]+|[^\p{L}\p{N}_$]+$/gu, ''))
    .filter((word) => word !== '')
    .slice(0, max.words);
}

/** Where the parts of a clause are in its words. */
interface Parts {
  readonly words: readonly string[];
  /** Returns whether a word that is no name matches a pattern. */
  readonly is: (pattern: RegExp, at: number) => boolean;
  /** The first word that can belong to the object or the verb, and the first of a clause within the clause. */
  readonly start: number;
  readonly end: number;
  /** The first helping verb; -1 without one. */
  readonly helper: number;
  /** The verb. */
  readonly at: number;
}

/**
 * Finds the verb of a clause that `isVerb` accepts, with what it acts on: "who calls x", "where is x called", "where
 * do we call x". Verbs of clauses within the clause do not count, nor does one whose object is what asks: "which do I
 * use". Words that `isName` accepts may have the form of a verb or a conjunction.
 */
export function predicateOf(
  { asks, words }: Clause,
  isVerb: (word: string) => boolean,
  isName: (word: string) => boolean,
): Predicate | undefined {
  const is = (pattern: RegExp, index: number): boolean =>
    !isName(words[index] ?? '') && pattern.test(words[index] ?? '');
  const start = asks === 'is' ? 0 : asks === 'which' ? 2 : 1;
  const limit = words.findIndex((_, index) => index > start && is(subordinates, index));
  const end = limit < 0 ? words.length : limit;
  const helper = words.findIndex((_, index) => index < end && (is(be, index) || is(auxiliary, index)));
  const isOwn = (word: string, index: number): boolean =>
    index >= Math.max(start, helper + 1) && index < end && !isName(word) && isVerb(word.toLowerCase());
  const at = words.findIndex(isOwn);
  if (at < 0 || (asks === 'how' && !is(be, helper))) return undefined;
  const parts = { words, is, start, end, helper, at };
  const passive = words.findLastIndex((_, index) => index >= start && index < at && is(be, index));
  const isPassive = passive >= 0 && !/ing$/iu.test(words[at] ?? '');
  return isPassive ? passiveOf(asks, parts, passive) : activeOf(asks, parts);
}

/** Reads "where is x called". "What is x used for" asks for a purpose, "what is called by x" for what x calls. */
function passiveOf(
  asks: Clause['asks'],
  { words, is, start, helper, at }: Parts,
  passive: number,
): Predicate | undefined {
  if (is(/^(?:for|as|to)$/iu, at + 1)) return undefined;
  const between = words.slice(helper + 1, passive === helper ? at : passive);
  const isFronted = asks === 'where' || asks === 'how' || asks === 'is';
  const object = objectFrom(between.length === 0 && isFronted ? words.slice(start, helper) : between);
  return object.length === 0 ? undefined : { verb: (words[at] ?? '').toLowerCase(), object, isActor: false };
}

/** Reads "who calls x". "Which one do we use" asks what is used, "which ones may use x" asks what uses it. */
function activeOf(asks: Clause['asks'], { words, is, end, helper, at }: Parts): Predicate | undefined {
  const object = objectFrom(words.slice(at + 1, end));
  if (object.length === 0 || asks === 'why' || asks === 'when') return undefined;
  const verb = (words[at] ?? '').toLowerCase();
  if (asks === 'where' || asks === 'is') return { verb, object, isActor: false };
  const between = words.slice(helper + 1, at);
  const isMay = !is(/^(?:do|does|did)/iu, helper) && between.every((word) => adverbs.test(word));
  return helper < 0 || is(be, helper) || isMay ? { verb, object, isActor: true } : undefined;
}

/** Returns the words of an object without what only introduces it. */
export function objectFrom(words: readonly string[]): readonly string[] {
  const begin = words.findIndex(
    (word) => !articles.test(word) && !adverbs.test(word) && !particles.test(word) && !isKindOfName(word),
  );
  return begin < 0 ? [] : words.slice(begin, begin + max.object);
}

/** Returns verbs in the infinitive as a set. */
export function verbs(list: string): ReadonlySet<string> {
  return new Set(list.split(' '));
}

/** Returns whether a word is a form of one of some verbs in the infinitive: "uses", "used" and "using" of "use". */
export function isFormOf(word: string, some: ReadonlySet<string>): boolean {
  if (some.has(word)) return true;
  const [, stem = '', ending = ''] = /^(.{2,}?)(ies|es|s|ied|ed|d|ing|en|n)$/u.exec(word) ?? [];
  if (stem === '') return false;
  const single = stem.replace(/([b-df-hj-np-tv-z])\1$/u, '$1');
  const forms = ending.startsWith('ie') ? [`${stem}y`] : [stem, `${stem}e`, single, `${single}e`];
  return forms.some((form) => some.has(form));
}

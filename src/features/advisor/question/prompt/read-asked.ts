import { everydayWords } from '../words/everyday-words.ts';
import { looksLikeCode, type PromptSubject, readPrompt } from './read-prompt.ts';

/** A prompt in two parts: what it asks, and what it only tells about the situation of the asker. */
export interface AskedPrompt {
  /** False for a change, an error or another text that asks nothing. */
  readonly isQuestion: boolean;
  /** The sentences that ask, at most 400 characters; the beginning of the prompt if none does. */
  readonly asked: string;
  /** Its subject, without everyday words if it asks. What the rest names is in it only if the question names nothing. */
  readonly subject: PromptSubject;
  /** Those of the subject's words that only the rest has. They count for less than those of the question. */
  readonly context: readonly string[];
  /** The parts of all names of the prompt that only code has: camelCase, snake_case. */
  readonly names: readonly string[];
}

/** Only the beginning of a prompt is examined, the rest may be pasted text. Lengths in characters. */
const max = { examined: 2000, asked: 400 } as const;
/** Number of words from which a question says by itself what it is about. */
const minTerms = 2;

const asks =
  /^(?:(?:and|but|so|or|also|ok|okay|hey|hi|please|then)[,\s]+)*(?:where|how|what(?:'s)?|which|why|who(?:'s|se|m)?|when|since when|is|are|was|were|does|do|did|can|could|should|will|would|has|have|find|show|list|explain|describe|tell|locate|point me|walk me)\b/iu;
/** A clause that tells what the asker does or wants. */
const tells =
  /^(?:(?:and|but|so|because|since|as|ok|okay|hey|hi|while)[,\s]+)*(?:i|i'm|i’m|i've|i’ve|i'd|i’d|im|we|we're|we’re|we've|we’ve|our|my|someone|somebody|a (?:colleague|user|customer|teammate)|trying|debugging|working|looking|reading|reviewing|upgrading|migrating|writing|wondering|thanks|context|fyi|background)\b/iu;
/** Words that can stand for what another sentence says. */
const standsForOther = /\b(?:it|this|that|these|those|they|them|its|their|there)\b/iu;

/** Reads what a prompt asks, and what it tells besides. Takes linear time for any input. */
export function readAsked(prompt: string): AskedPrompt {
  const whole = readPrompt(prompt);
  const isQuestion = asksSomething.test(prompt);
  const begin = prompt.slice(0, max.asked);
  const names = whole.identifiers.flatMap((name) => name.split(/\.|::|#/u)).filter(looksLikeCode);
  if (!isQuestion) return { isQuestion, asked: begin, subject: whole, context: [], names };
  const subject = { ...whole, terms: withoutEveryday(whole.terms) };
  const asked = askedPart(prompt);
  if (asked === undefined) return { isQuestion, asked: begin, subject, context: [], names };
  const { terms, identifiers } = readPrompt(asked);
  const known = new Set(terms.map((term) => term.toLowerCase()));
  const context = subject.terms.filter((term) => !known.has(term.toLowerCase()));
  return {
    isQuestion,
    asked,
    subject: { ...subject, identifiers: identifiers.length > 0 ? identifiers : whole.identifiers },
    context,
    names,
  };
}

/** People ask in their own words; who reports a change or an error uses those of the code. */
const asksSomething = /^\s*(?:where|how|what|which|why|who|when|does|do|is|are|can)\b|\?(?:\s|$)/iu;

function withoutEveryday(terms: readonly string[]): readonly string[] {
  const rest = terms.filter((term) => !everydayWords.has(term.toLowerCase()));
  return rest.length === 0 ? terms : rest;
}

/** Returns the sentences that ask; `undefined` if there are no others, or if they do not say what they are about. */
function askedPart(prompt: string): string | undefined {
  const text = prompt.slice(0, max.examined);
  const clauses = text.split(sentenceEnd).flatMap(splitSentence);
  const asking = clauses.filter((clause) => asks.test(clause.trim()) || clause.trimEnd().endsWith('?'));
  const asked = asking.join(' ').slice(0, max.asked);
  const isPart = asking.length > 0 && asking.length < clauses.length;
  return isPart && saysEnough(asked) ? asked : undefined;
}

const sentenceEnd = /(?<=[.!?])\s+|\n+/u;
/** A question that follows what is told in the same sentence, or is followed by it. */
const clauseStart = /(?:,|;|:|\s[–—-])\s+/u;

/** Separates a question from what one sentence tells before or after it. */
function splitSentence(sentence: string): readonly string[] {
  const parts = sentence.split(clauseStart).filter((part) => part.trim() !== '');
  const groups: string[] = [];
  let isTold: boolean | undefined;
  for (const part of parts) {
    const told = tells.test(part.trim()) ? true : asks.test(part.trim()) ? false : isTold;
    if (groups.length > 0 && told === isTold) groups.push(`${groups.pop() ?? ''}, ${part}`);
    else groups.push(part);
    isTold = told;
  }
  return groups;
}

/** Returns whether a question says what it is about: one that refers to another sentence needs more words. */
function saysEnough(asked: string): boolean {
  const { terms: words, identifiers, paths } = readPrompt(asked);
  const terms = words.filter((word) => !everydayWords.has(word.toLowerCase()));
  const needed = standsForOther.test(asked) ? 2 * minTerms : minTerms;
  return terms.length >= needed || identifiers.length + paths.length > 0;
}

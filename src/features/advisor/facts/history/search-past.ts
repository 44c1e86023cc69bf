import { maxPast, type SourceChange } from '../../../../backends/codesearch/port.ts';
import type { RepositoryId } from '../../../../foundation/kernel/ids.ts';
import { visibleLine } from '../../../../foundation/kernel/text/visible-text.ts';
import { splitWords, stemsOf } from '../../text/split-words.ts';
import { stemOf } from '../absent-terms.ts';
import type { Inquiry } from '../inquiry.ts';
import { timeOf } from './commits.ts';
import { changeOf, type PastChange, readSourcePast } from './past.ts';
import { factorOf, type Purpose } from './purpose.ts';

/** Number of words that messages are searched for, and of repositories without a name in the question. */
const max = { words: 5, repositories: 2 } as const;
/** Time after which no further word is looked for, in milliseconds. */
const timeMs = 2500;
/** Words that ask for a change and say nothing of its content. */
const askingWords =
  /^(?:add|introduc|creat|implement|support|land|appear|first|chang|fix|resolv|solv|address|repair|remov|drop|delet|renam|mov|replac|switch|deprecat|commit|release|version|patch|pr|pull|request|merge|bug|issue|problem|vulnerabilit(?:y|ies)|option|feature|functionality|argument|parameter|setting|decid|start|begin|began|stop|get|got|handl|become|became|use|using|instead|reason|when|why|who|which|month|year|day|date)(?:e?d|e?s|ing|ion)?$/iu;
/** Share of the weight of the question's words that a message must have. */
const minShare = 0.5;
/** Least score of a message with regard to what its commit does. */
const minScore = 0.4;
/** Weight of a word that only the body of a message has. */
const bodyWeight = 0.6;
/** Weight of a word that a subject has in the same form, and factor of a subject with two adjacent words. */
const exactWeight = 1.15;
const phraseWeight = 1.3;
/** The share of the best score from which an earlier commit is the first one. */
const firstShare = 0.75;

/** Number of commits from which a word alone does not tell which one is meant. */
const maxVague = 100;

/** A commit whose message fits a question. */
export interface FoundChange {
  readonly change: PastChange;
  /** Words of the question that its message lacks. */
  readonly lacking: readonly string[];
  /** True if its subject has all words in the form in which the question has them. */
  readonly isExact: boolean;
}

/** Finds the commit of the whole history whose message fits a question; `undefined` without one that surely does. */
export async function searchPast(inquiry: Inquiry, purpose: Purpose): Promise<FoundChange | undefined> {
  const words = contentWords(inquiry);
  if (words.length === 0) return undefined;
  const until = performance.now() + timeMs;
  let best: Scored | undefined;
  for (const repository of repositoriesOf(inquiry)) {
    const found = await changesWith(inquiry, repository, words, until);
    const scored = chooseChange({ words, purpose, asked: inquiry.asked }, found);
    if (scored !== undefined && (best === undefined || scored.score > best.score)) best = scored;
  }
  return best;
}

function contentWords({ ranked, asked }: Inquiry): readonly string[] {
  const { subject, repositories } = ranked;
  const names = new Set(repositories.flatMap(({ name }) => splitWords(name)));
  const versions = asked.match(/\b(?:[A-Za-z]{2,10}\/\d+(?:\.\d+)?|\d+(?:\.\d+)+)\b/gu) ?? [];
  const parts = new Set(versions.map((version) => version.split('/')[0]?.toLowerCase()));
  const terms = subject.terms.filter((term) => !parts.has(term.toLowerCase()));
  return [...versions, ...terms]
    .filter((term) => !askingWords.test(term) && !splitWords(term).some((word) => names.has(word)))
    .slice(0, max.words);
}

/** Kinds of code, which a question names besides a name. */
const kindWords =
  /^(?:class|function|method|module|file|type|struct|interface|option|parameter|argument|code|component)(?:e?s)?$/iu;

/** Returns whether a question has words besides a name that say what it is about. */
export function saysMore(inquiry: Inquiry, name: string): boolean {
  const own = new Set(stemsOf(`${name} ${inquiry.ranked.subject.identifiers.join(' ')}`));
  const isOther = (word: string): boolean => stemsOf(word).some((stem) => !own.has(stem));
  return contentWords(inquiry).some((word) => isOther(word) && !kindWords.test(word));
}

function repositoriesOf({ ranked }: Inquiry): readonly RepositoryId[] {
  if (ranked.named.length > 0) return ranked.named.map(({ id }) => id).slice(0, max.repositories);
  const ids = new Set(ranked.files.map(({ repository }) => repository));
  return [...ids].slice(0, max.repositories);
}

/** Reads the commits with any of some words, each of which is looked for on its own: a frequent one hides no rare one. */
async function changesWith(
  inquiry: Inquiry,
  repository: RepositoryId,
  words: readonly string[],
  until: number,
): Promise<readonly PastChange[]> {
  const found = new Map<string, SourceChange>();
  // A long history takes a second for each word; long words are rarer.
  for (const word of words.toSorted((a, b) => b.length - a.length)) {
    if (performance.now() > until) break;
    const request = { repository, path: '', word: stemOf(word).replace(/(?<=\w{4})[ey]$/iu, '') };
    const past = await readSourcePast(inquiry, request);
    for (const change of past?.changes ?? []) found.set(change.id, change);
  }
  return [...found.values()].map((change) => changeOf(change, repository));
}

interface Wanted {
  readonly words: readonly string[];
  readonly purpose: Purpose;
  readonly asked: string;
}

interface Scored extends FoundChange {
  readonly score: number;
}

/**
 * Chooses the commit whose message has most of some words, rare ones counting more; the first such one if asked for.
 * @internal Exported for its test.
 */
export function chooseChange(
  { words, purpose, asked }: Wanted,
  changes: readonly PastChange[],
): Scored | undefined {
  const weights = new Map(words.map((word) => [word, weightOf(word, changes)]));
  const total = [...weights.values()].reduce((sum, weight) => sum + weight, 0);
  const scored = changes.flatMap((change) => {
    const subject = new Set(stemsOf(change.node.name));
    const lower = change.node.name.toLowerCase();
    let sum = 0;
    let share = 0;
    const lacking: string[] = [];
    for (const [word, weight] of weights) {
      // Different words may have one stem.
      const isExact = saysExactly(lower, word);
      if (isExact || hasStems(subject, word)) sum += weight * (isExact ? exactWeight : 1);
      else if (hasWord(change, word)) sum += weight * bodyWeight;
      else lacking.push(word);
      if (lacking.at(-1) !== word) share += weight;
    }
    const factor = factorOf(change.node.name, purpose, asked);
    const isClose = share >= total * minShare && sum * factor >= total * minScore;
    const isExact = words.every((word) => saysExactly(lower, word));
    return isClose
      ? [
          {
            change,
            lacking,
            isExact,
            score: (sum / total) * phraseFactor(lower, words) * factor,
          },
        ]
      : [];
  });
  // A single frequent word fits any commit.
  const isVague = Math.max(...weights.values()) < Math.log(1 + (changes.length + 10) / maxVague);
  const best = isVague ? undefined : scored.toSorted((a, b) => b.score - a.score)[0];
  if (best === undefined || purpose !== 'first') return best;
  const earlier = scored.filter(({ score }) => score >= best.score * firstShare);
  return earlier.toSorted((a, b) => timeOf(a.change.node) - timeOf(b.change.node))[0];
}

/** Words that stand together in a question mean more if they also do in a message: "open redirect". */
function phraseFactor(subject: string, words: readonly string[]): number {
  const isTogether = words.some((word, index) => {
    const next = words[index + 1];
    return next !== undefined && subject.includes(`${word} ${next}`.toLowerCase());
  });
  return isTogether ? phraseWeight : 1;
}

function hasStems(words: ReadonlySet<string>, word: string): boolean {
  const stems = stemsOf(word);
  return /^[\p{L}\p{N}_-]+$/u.test(word) && stems.length > 0 && stems.every((stem) => words.has(stem));
}

/** Length from which a word may be written as several: `livereload` is `LiveReload`. */
const joinedLength = 6;

/** Returns whether a text has a word as it is written; a short one not as a part of another, `QUIC` of `quick`. */
function saysExactly(lower: string, word: string): boolean {
  const wanted = word.toLowerCase();
  if (wanted.length >= joinedLength) return lower.includes(wanted);
  const isPart = /[\p{L}\p{N}]/u;
  for (let at = lower.indexOf(wanted); at >= 0; at = lower.indexOf(wanted, at + 1)) {
    const end = lower[at + wanted.length] ?? ' ';
    if (!isPart.test(lower[at - 1] ?? ' ') && !isPart.test(end)) return true;
  }
  return false;
}

function hasWord({ words, text }: PastChange, word: string): boolean {
  const isLiteral = word.length >= joinedLength || word.includes('/') || word.includes('.');
  return hasStems(words, word) || (isLiteral && text.includes(word.toLowerCase()));
}

/** A word that no message has weighs most, so that messages without it do not fit. */
function weightOf(word: string, changes: readonly PastChange[]): number {
  const count = Math.min(maxPast, changes.filter((change) => hasWord(change, word)).length);
  return Math.log(1 + (changes.length + 10) / (count + 0.5));
}

/** Names the words of a question that the message of its commit lacks. */
export function lackingNote({ lacking }: FoundChange): string[] {
  return lacking.length === 0
    ? []
    : [`Its message does not mention ${lacking.map((word) => `“${visibleLine(word)}”`).join(', ')}.`];
}

import { openPauses } from '../../../../foundation/kernel/limits/pauses.ts';
import type { Purpose } from '../../question/asked-change.ts';
import { rarity } from '../../text/rarity.ts';
import { stemsOf } from '../../text/split-words.ts';
import type { TimeFactor } from './asked-time.ts';
import { type AskedWord, saysContent } from './asked-words.ts';
import { timeOf } from './commits.ts';
import type { MessageChange } from './past.ts';
import { factorOf } from './purpose.ts';

/** A commit that may be meant, with what is known of its place. Both are between 0 and 1. */
export interface RecalledChange {
  readonly change: MessageChange;
  /** How well the code ranking rates the best file that it touched. */
  readonly place: number;
  /** How likely the lines that it changed are those that the question is about. */
  readonly lines: number;
}

/** A commit that may be meant, with how well it fits a question. */
export interface WeighedChange extends RecalledChange {
  /** Higher is better; comparable within one question. */
  readonly score: number;
  /** The share of the question that its message says, rare words counting more. */
  readonly share: number;
  /** Words of the question that its message says in no form. */
  readonly lacking: readonly string[];
}

/** What is asked of a change. */
export interface WantedChange {
  readonly words: readonly AskedWord[];
  readonly purpose: Purpose;
  readonly asked: string;
  /** Factor of the time of a commit. Default: all are alike. */
  readonly timeFactor?: TimeFactor;
}

/**
 * How much a word counts that a message has: in its subject or body, as it is or by a related word; a name of code in
 * another name for less.
 */
const said = {
  exact: 1,
  subject: 0.95,
  otherName: 0.7,
  body: 0.65,
  relatedSubject: 0.5,
  relatedBody: 0.25,
} as const;
/**
 * What the place and the lines of a commit add to the share of the question that its message says. A place counts fully
 * only with so much of the share: many commits touch a file.
 */
const weight = { place: 0.35, lines: 0.27, placeShare: 0.15 } as const;
/** Number of words of a body above which each counts for less: a long one mentions anything. */
const longBody = 80;
/** Factor of a subject in which two words of the question stand together: "open redirect". */
const phraseFactor = 1.15;
/** The shares of the best score, and of what the best message says, from which an earlier commit is the first one. */
const first = { score: 0.9, share: 0.97 } as const;
/** Length from which a word may be written as several: `livereload` is `LiveReload`. */
const joinedLength = 6;

/**
 * Weighs the commits that may be meant by their messages, their places and what they did, best first. Other requests go
 * on meanwhile.
 */
export async function weighChanges(
  { words, purpose, asked, timeFactor = () => 1 }: WantedChange,
  candidates: readonly RecalledChange[],
): Promise<readonly WeighedChange[]> {
  const pause = openPauses();
  const counted: { readonly word: AskedWord; readonly count: number }[] = [];
  for (const word of words) {
    await pause();
    const count = candidates.filter(({ change }) => hasWord(change, word.term, word.stems)).length;
    counted.push({ word, count });
  }
  const known = counted.filter(({ count }) => count > 0).map(({ count }) => rarity(count, candidates.length));
  const mean = known.reduce((sum, one) => sum + one, 0) / Math.max(1, known.length);
  // What no message has tells nothing of the commits; it only makes the answer less sure.
  const weights = counted.map(
    ({ word, count }) => word.share * (count === 0 ? mean : rarity(count, candidates.length)),
  );
  const total = weights.reduce((sum, one) => sum + one, 0);
  const newest = Math.max(0, ...candidates.map(({ change }) => timeOf(change.node)));
  const scored: WeighedChange[] = [];
  for (const candidate of candidates) {
    await pause();
    const { change, place, lines } = candidate;
    const degrees = degreesOf(change, words);
    const sum = weights.reduce((all, one, at) => all + one * (degrees[at] ?? 0), 0);
    const share = total === 0 ? 0 : sum / total;
    const lacking = words.filter((word, at) => degrees[at] === 0 && saysContent(word));
    const text = share * (hasPhrase(change.node.name, words) ? phraseFactor : 1);
    const placed = weight.place * place * Math.min(1, share / weight.placeShare);
    const factor = factorOf(change.node.name, purpose, asked) * timeFactor(timeOf(change.node), newest);
    const score = (text + placed + weight.lines * lines) * factor;
    scored.push({ ...candidate, score, share, lacking: lacking.map(({ term }) => term) });
  }
  const ordered = scored.toSorted(
    (a, b) => b.score - a.score || timeOf(b.change.node) - timeOf(a.change.node),
  );
  return purpose === 'first' ? earliestFirst(ordered) : ordered;
}

/** Puts the earliest of the commits that fit about as well as the best one before it. */
function earliestFirst(ordered: readonly WeighedChange[]): readonly WeighedChange[] {
  const [best] = ordered;
  if (best === undefined) return ordered;
  const alike = ordered.filter(
    ({ score, share }) => score >= best.score * first.score && share >= best.share * first.share,
  );
  const [earliest] = alike.toSorted((a, b) => timeOf(a.change.node) - timeOf(b.change.node));
  return earliest === undefined ? ordered : [earliest, ...ordered.filter((one) => one !== earliest)];
}

/** Returns how much each word counts in a message. */
function degreesOf(change: MessageChange, words: readonly AskedWord[]): readonly number[] {
  const subject = new Set(stemsOf(change.node.name));
  const lower = change.node.name.toLowerCase();
  const bodyFactor = Math.min(1, Math.sqrt(longBody / Math.max(1, change.words.size - subject.size)));
  return words.map(({ term, stems, related, isName }) => {
    if (saysExactly(lower, term)) return said.exact;
    if (hasStems(subject, term, stems)) return isName ? said.otherName : said.subject;
    if (hasWord(change, term, stems)) return said.body * bodyFactor;
    if ([...related].some((stem) => subject.has(stem))) return said.relatedSubject;
    return [...related].some((stem) => change.words.has(stem)) ? said.relatedBody * bodyFactor : 0;
  });
}

function hasPhrase(subject: string, words: readonly AskedWord[]): boolean {
  const lower = subject.toLowerCase();
  return words.some(({ term }, at) => {
    const next = words[at + 1];
    return next !== undefined && lower.includes(`${term} ${next.term}`.toLowerCase());
  });
}

function hasStems(words: ReadonlySet<string>, term: string, stems: readonly string[]): boolean {
  return /^[\p{L}\p{N}_-]+$/u.test(term) && stems.length > 0 && stems.every((stem) => words.has(stem));
}

/** Returns whether a text has a word as it is written; a short one not as a part of another, `QUIC` of `quick`. */
function saysExactly(lower: string, term: string): boolean {
  const wanted = term.toLowerCase();
  if (wanted.length >= joinedLength)
    return lower.includes(wanted) || lower.replaceAll(/[\s_-]+/gu, '').includes(wanted);
  const isPart = /[\p{L}\p{N}]/u;
  for (let at = lower.indexOf(wanted); at >= 0; at = lower.indexOf(wanted, at + 1)) {
    const end = lower[at + wanted.length] ?? ' ';
    if (!isPart.test(lower[at - 1] ?? ' ') && !isPart.test(end)) return true;
  }
  return false;
}

function hasWord({ words, text }: MessageChange, term: string, stems: readonly string[]): boolean {
  const isLiteral = term.length >= joinedLength || term.includes('/') || term.includes('.');
  if (hasStems(words, term, stems)) return true;
  return isLiteral ? text.includes(term.toLowerCase()) : /^\d+$/u.test(term) && saysExactly(text, term);
}

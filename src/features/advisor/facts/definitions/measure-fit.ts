import { isAskingWord } from '../../question/words/asking-words.ts';
import { relatedWords } from '../../question/words/related-words.ts';
import { maxLineLength } from '../../sources/excerpt.ts';
import { stemsOf } from '../../text/split-words.ts';
import { condensed, condensedVersions, versionsIn } from '../../text/versioned-names.ts';
import { type ScoredDefinition } from './rank-definitions.ts';

/** Number of lines within which words count as said together. */
const windowLines = 12;
/** Number of lines of a definition that are read, and of lines in which its documentation says what it is. */
const max = { lines: 2000, summary: 6 } as const;
/** Factors of a word that is only said by another word for it: in the name or documentation, and in the body. */
const relatedShare = { head: 0.8, body: 0.4 } as const;

/** Factor of a word that only asks: "pick up", "decide". */
const askingFactor = 0.3;

/** Weight of a common word for what is missing, as a share of that of the rarest: a subject may be in all files. */
const commonShare = 0.6;

/** The parts of a question that a definition says; shares are of its words, rare ones counting more. */
export interface Fit {
  /** Share that it says together. */
  readonly share: number;
  /** Share that its name, path and documentation say. */
  readonly headShare: number;
  /** Share that it says nowhere; common words count nearly as much as rare ones. */
  readonly missingShare: number;
  /** The words that it says nowhere, without those that only ask. */
  readonly missing: readonly string[];
}

interface Wanted {
  readonly own: readonly string[];
  readonly related: ReadonlySet<string>;
  readonly weight: number;
  /** The weight for what is missing. */
  readonly even: number;
}

/**
 * Measures how much of a question one definition says. Its name, path and documentation count in any case; the lines of
 * its body only if they are near each other, because a long function mentions many things that have nothing to do with
 * each other.
 */
export function measureFit(one: ScoredDefinition, terms: readonly string[]): Fit {
  const rarest = one.rarity('');
  const wanted = terms.map((term): Wanted => {
    const own = wordsIn(term);
    const rarity = Math.max(0, ...own.map((word) => one.rarity(word)));
    const factor = isAskingWord(term) ? askingFactor : 1;
    const related = new Set(relatedWords([term]).flatMap(stemsOf));
    return { own, related, weight: rarity * factor, even: Math.max(rarity, commonShare * rarest) * factor };
  });
  const { head, body } = wordsOf(one);
  const inHead = wanted.map((word) => saidIn(word, head, relatedShare.head));
  const inLines = body.map((words) => wanted.map((word) => saidIn(word, words, relatedShare.body)));
  const total = wanted.reduce((sum, { weight }) => sum + weight, 0);
  const shareOf = (said: readonly number[]): number =>
    total === 0 ? 0 : wanted.reduce((sum, { weight }, at) => sum + weight * (said[at] ?? 0), 0) / total;
  const isMissing = terms.map((_, at) => inHead[at] === 0 && inLines.every((line) => line[at] === 0));
  const missed = wanted.filter((_, at) => isMissing[at]).reduce((sum, { even }) => sum + even, 0);
  const all = wanted.reduce((sum, { even }) => sum + even, 0);
  return {
    share: shareOf(bestWindow(inHead, inLines, wanted)),
    headShare: shareOf(inHead),
    missingShare: all === 0 ? 0 : missed / all,
    missing: terms.filter((term, at) => isMissing[at] && !isAskingWord(term)),
  };
}

function saidIn({ own, related }: Wanted, words: ReadonlySet<string>, share: number): number {
  if (own.length > 0 && own.every((word) => words.has(word))) return 1;
  return [...related].some((word) => words.has(word)) ? share : 0;
}

/** Returns how much each word counts in the lines near each other that say most, together with the head. */
function bestWindow(
  head: readonly number[],
  lines: readonly (readonly number[])[],
  wanted: readonly Wanted[],
): readonly number[] {
  const valueOf = (said: readonly number[]): number =>
    wanted.reduce((sum, { weight }, at) => sum + weight * (said[at] ?? 0), 0);
  let best = head;
  for (const [from, first] of lines.entries()) {
    if (!first.some((share) => share > 0)) continue;
    const near = lines.slice(from, from + windowLines);
    const said = head.map((share, at) => Math.max(share, ...near.map((line) => line[at] ?? 0)));
    if (valueOf(said) > valueOf(best)) best = said;
  }
  return best;
}

/** Returns the words of the name, path and documentation of a definition, and those of each line of its body. */
function wordsOf({ file, definition, container }: ScoredDefinition): {
  readonly head: ReadonlySet<string>;
  readonly body: readonly ReadonlySet<string>[];
} {
  const { startLine, line, endLine, doc, name } = definition;
  const head = new Set([name, file.path, container ?? ''].flatMap(wordsIn));
  const last = Math.min(endLine, startLine + max.lines);
  const body: Set<string>[] = [];
  for (const span of file.spans) {
    for (const [at, text] of span.text.split(/\r?\n/u).entries()) {
      const number = span.startLine + at;
      if (number < startLine || number > last) continue;
      const words = wordsIn(text.slice(0, maxLineLength));
      const isDoc = doc !== undefined && number >= doc.startLine && number <= doc.endLine;
      const isSummary = isDoc && number < doc.startLine + max.summary;
      if (isSummary || number === line) for (const word of words) head.add(word);
      else if (!isDoc) body.push(new Set(words));
    }
  }
  return { head, body };
}

/** Returns the words of a text, and names with a version as one word: `HTTP/2` and `http2` are `http2`. */
function wordsIn(text: string): string[] {
  return versionsIn(text)[0] === text ? [condensed(text)] : [...stemsOf(text), ...condensedVersions(text)];
}

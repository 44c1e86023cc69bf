import { basename } from 'node:path/posix';
import { questionWordsIn, wordsIn } from '../../../foundation/kernel/text/words.ts';
import { asksForValue } from '../asks-for-value.ts';
import type { FileClass, LineSpan, RankedDefinition } from '../port.ts';
import type { CutPassage } from './cut-passages.ts';
import {
  type Field,
  fields,
  type PassageFile,
  type PassageQuestion,
  passageQuestion,
  type ReadPassage,
  readPassages,
} from './read-passages.ts';

/** A passage with its rank. */
export interface ScoredPassage extends LineSpan {
  readonly file: PassageFile;
  readonly definition?: RankedDefinition;
  readonly containers: readonly string[];
  readonly inner: readonly CutPassage[];
  readonly score: number;
  /** The estimated probability that it, or a twin of it, answers the question. */
  readonly probability: number;
}

/** The passages of files in the order of a question. */
interface RankedTexts {
  /** Best first. Of twins, such as a sync and an async form of a definition, only the best. */
  readonly best: readonly ScoredPassage[];
  /** The best of each repository, best first. */
  readonly nearest: readonly ScoredPassage[];
  /** Returns the share of the question's words, weighted by rarity, that the first `count` passages have. */
  readonly covered: (count: number) => number;
}

interface AskedPassages {
  readonly question: string;
  /** Names as written in code. */
  readonly identifiers: readonly string[];
  /** Texts in quotes. */
  readonly phrases: readonly string[];
}

/** Weight of an occurrence by field, and how much the length of the field reduces it. */
const fieldWeights: Record<Field, { readonly weight: number; readonly length: number }> = {
  container: { weight: 1.3, length: 0.2 },
  file: { weight: 2.7, length: 0 },
  folders: { weight: 2.7, length: 0 },
  signature: { weight: 2, length: 0.5 },
  doc: { weight: 0.33, length: 0.6 },
  comments: { weight: 0.33, length: 0.6 },
  strings: { weight: 0.8, length: 0.6 },
  code: { weight: 1, length: 0.75 },
};
const laneWeights = {
  text: 17,
  file: 4.5,
  size: 4,
  name: 2,
  quoted: 2.1,
  pairs: 0.8,
  exact: 0.7,
  place: 6,
} as const;
/** Points of passages that answer fewer questions about code, however well their words fit. */
const kindPoints = { prose: -4, other: -1 } as const;

/** Number of passages that may be twins of better ones, and whose probabilities add up to 1. */
const max = { folded: 60, candidates: 200 } as const;

/** Ranks the passages of files for a question. A file is taken when those before it have been read. */
export function rankPassages(files: Iterable<PassageFile>, asked: AskedPassages): RankedTexts {
  const question = passageQuestion(questionWordsIn(asked.question).flatMap(({ stems }) => stems));
  const read = Array.from(files, (file) => readPassages(file, question)).flat();
  const statistics = statisticsOf(read, question);
  const valued = { ...asked, asksValue: asksForValue(asked.question) };
  const scored = read
    .filter(
      (passage) =>
        passage.definition?.isTest !== true &&
        ([passage.counts, passage.related].some((counts) => counts.some(Boolean)) || isPointedTo(passage)),
    )
    .map((passage) => ({ passage, score: scoreOf(passage, question, statistics, valued) }))
    .toSorted((a, b) => b.score - a.score);
  const best = scored[0]?.score ?? 0;
  const chance = (score: number): number => Math.exp(score - best);
  const total = scored.slice(0, max.candidates).reduce((sum, { score }) => sum + chance(score), 0);
  const toPassage = ([first, ...twins]: readonly [Scored, ...Scored[]]): ScoredPassage => {
    const { file, definition, containers, inner, startLine, endLine } = first.passage;
    return {
      file,
      ...(definition === undefined ? {} : { definition }),
      containers,
      inner,
      startLine,
      endLine,
      score: first.score,
      probability: [first, ...twins].reduce((sum, { score }) => sum + chance(score), 0) / total,
    };
  };
  const nearest = new Map<string, Scored>();
  for (const one of scored) {
    const { repository } = one.passage.file;
    if (!nearest.has(repository)) nearest.set(repository, one);
  }
  const groups = foldTwins(scored.slice(0, max.folded));
  return {
    best: groups.map(toPassage),
    nearest: [...nearest.values()].map((one) => toPassage([one])),
    covered: (count) => {
      const first = groups.slice(0, count).map(([{ passage }]) => passage);
      return coveredShare(first, statistics);
    },
  };
}

function coveredShare(passages: readonly ReadPassage[], { rarity, mass }: Statistics): number {
  const covered = rarity.filter((_, word) => passages.some((passage) => hasWord(passage, word)));
  return covered.reduce((sum, one) => sum + one, 0) / mass;
}

function hasWord({ counts }: ReadPassage, word: number): boolean {
  return counts.subarray(word * fields.length, (word + 1) * fields.length).some((count) => count > 0);
}

function isPointedTo({ file, startLine, endLine }: ReadPassage): boolean {
  return file.places.some((line) => line >= startLine && line <= endLine);
}

interface Scored {
  readonly passage: ReadPassage;
  readonly score: number;
}

/** Share of their words that twins have in common. */
const minCommon = 0.7;

/** Joins the passages with the same name and file name and nearly the same words, such as a sync and an async form. */
function foldTwins(scored: readonly Scored[]): [Scored, ...Scored[]][] {
  const groups: [Scored, ...Scored[]][] = [];
  const known = new Map<ReadPassage, ReadonlySet<string>>();
  const wordsOf = (passage: ReadPassage): ReadonlySet<string> => {
    const words = known.get(passage) ?? new Set(wordsIn(textOf(passage)));
    known.set(passage, words);
    return words;
  };
  for (const one of scored) {
    const group = groups.find(([first]) => areTwins(first.passage, one.passage, wordsOf));
    if (group === undefined) groups.push([one]);
    else group.push(one);
  }
  return groups;
}

function areTwins(
  a: ReadPassage,
  b: ReadPassage,
  wordsOf: (passage: ReadPassage) => ReadonlySet<string>,
): boolean {
  if (a.definition === undefined || a.definition.name !== b.definition?.name) return false;
  if (basename(a.file.path) !== basename(b.file.path)) return false;
  const words = wordsOf(a);
  const others = wordsOf(b);
  const common = [...words].filter((word) => others.has(word)).length;
  return common >= minCommon * Math.max(words.size, others.size);
}

function textOf({ file, startLine, endLine }: LineSpan & Pick<ReadPassage, 'file'>): string {
  return file.lines.slice(startLine - 1, endLine).join('\n');
}

interface Statistics {
  /** By word: the share that an occurrence of a related word counts. */
  readonly relatedShares: readonly number[];
  readonly rarity: readonly number[];
  /** Sum of the rarities of the words. */
  readonly mass: number;
  /** Sum of the rarities of the pairs. */
  readonly pairMass: number;
  readonly averages: readonly number[];
  readonly nameRarity: (stem: string) => number;
}

function statisticsOf(read: readonly ReadPassage[], question: PassageQuestion): Statistics {
  const { size } = question;
  const holding = { own: new Uint32Array(size), related: new Uint32Array(size) };
  const sums = new Float64Array(fields.length);
  const present = new Float64Array(fields.length);
  const names = new Map<string, number>();
  const foldersAt = fields.indexOf('folders');
  const isHeld = (counts: Uint32Array, word: number): boolean => {
    for (let at = 0; at < fields.length; at++)
      if (at !== foldersAt && counts[word * fields.length + at]! > 0) return true;
    return false;
  };
  for (const { counts, related, lengths, nameWords } of read) {
    for (let word = 0; word < size; word++) {
      if (isHeld(counts, word)) holding.own[word]! += 1;
      if (isHeld(related, word)) holding.related[word]! += 1;
    }
    lengths.forEach((length, at) => {
      sums[at]! += length;
      if (length > 0) present[at]! += 1;
    });
    for (const stem of new Set(nameWords)) names.set(stem, (names.get(stem) ?? 0) + 1);
  }
  const rarityOf = (count: number): number =>
    Math.log(1 + Math.max(0, read.length - count + 0.5) / (count + 0.5));
  const relatedShares = Array.from(
    holding.own,
    (count) => relatedWeight.share / (1 + count / relatedWeight.halvedAt),
  );
  const rarity = relatedShares.map((share, word) => {
    const count = Math.min(read.length, holding.own[word]! + share * holding.related[word]!);
    return count === 0 ? 0 : rarityOf(count);
  });
  return {
    relatedShares,
    rarity,
    mass: Math.max(
      Number.EPSILON,
      rarity.reduce((sum, one) => sum + one, 0),
    ),
    pairMass: question.pairs.reduce((sum, [a, b]) => sum + (rarity[a]! + rarity[b]!) / 2, 0),
    averages: Array.from(sums, (sum, at) => (present[at]! > 0 ? sum / present[at]! : 1)),
    nameRarity: (stem) => {
      const form = question.forms.get(stem);
      return form === undefined ? rarityOf(nameFactor * (names.get(stem) ?? 0)) : rarity[form.word]!;
    },
  };
}
const nameFactor = 3;

/**
 * The share that an occurrence of a related word counts. It falls with the number of passages that have the word of the
 * question itself, because these need no other, and `halvedAt` of them halve it.
 */
const relatedWeight = { share: 0.5, halvedAt: 10 } as const;

function scoreOf(
  passage: ReadPassage,
  question: PassageQuestion,
  statistics: Statistics,
  { identifiers, phrases, asksValue }: AskedPassages & { readonly asksValue: boolean },
): number {
  const { relatedShares, rarity, mass, averages } = statistics;
  const { counts, related, lengths, file } = passage;
  const norms = fields.map((name, at) => {
    const { weight, length } = fieldWeights[name];
    return weight / (1 - length + (length * lengths[at]!) / averages[at]!);
  });
  let text = 0;
  rarity.forEach((weight, word) => {
    let found = 0;
    for (let at = 0; at < norms.length; at++) {
      const place = word * norms.length + at;
      found += norms[at]! * (counts[place]! + relatedShares[word]! * related[place]!);
    }
    text += (weight * found) / (found + 1);
  });
  const characters = lengthOf(passage);
  const points = [
    (laneWeights.text * text) / mass,
    laneWeights.file * file.share,
    asksValue ? 0 : (laneWeights.size * Math.min(maxSize, Math.log(1 + characters / 4))) / maxSize,
    pointsOf(passage),
    laneWeights.name * nameShare(passage, question, statistics),
    containsText(passage, phrases) ? laneWeights.quoted : 0,
    laneWeights.pairs * pairShare(passage, question, statistics),
    laneWeights.exact * exactness(passage, identifiers),
    isPointedTo(passage) ? laneWeights.place : 0,
  ];
  return points.reduce((sum, one) => sum + one, 0);
}

/** The size from which a passage gains no more, as the logarithm of its number of tokens. */
const maxSize = 6;

const prose: ReadonlySet<FileClass> = new Set(['docs', 'readme', 'log']);

function pointsOf({ file, definition }: ReadPassage): number {
  if (!file.isAskedFor && prose.has(file.fileClass)) return kindPoints.prose;
  return definition === undefined || (!file.isAskedFor && file.fileClass !== 'source') ? kindPoints.other : 0;
}

/** Returns the number of characters of the passage, estimated from its words. */
function lengthOf({ lengths }: ReadPassage): number {
  return ownFields.reduce((sum, at) => sum + lengths[at]!, 0) * charactersPerWord;
}

const charactersPerWord = 8;
const ownFields = (['doc', 'comments', 'strings', 'code'] as const).map((name) => fields.indexOf(name));

function nameShare(
  { nameWords }: ReadPassage,
  { forms }: PassageQuestion,
  { nameRarity, relatedShares }: Statistics,
): number {
  let asked = 0;
  let all = 0;
  for (const stem of new Set(nameWords)) {
    const weight = nameRarity(stem);
    all += weight;
    const form = forms.get(stem);
    if (form !== undefined) asked += form.isRelated ? weight * relatedShares[form.word]! : weight;
  }
  return asked / (all + 1);
}

function pairShare(
  { pairs }: ReadPassage,
  question: PassageQuestion,
  { rarity, pairMass }: Statistics,
): number {
  if (pairMass === 0) return 0;
  let found = 0;
  pairs.forEach((count, at) => {
    const [a, b] = question.pairs[at]!;
    if (count > 0) found += ((rarity[a]! + rarity[b]!) / 2) * (1 + Math.log(count));
  });
  return found / pairMass / 2;
}

/** Returns how exactly the name of a passage is one of the names in the question. */
function exactness({ definition, containers, file }: ReadPassage, identifiers: readonly string[]): number {
  let best = 0;
  for (const identifier of identifiers) {
    const parts = identifier.split(/\.|::|#/).filter((part) => part !== '');
    if (definition?.name !== parts.at(-1)) continue;
    const outer = parts.at(-2);
    const fits =
      outer !== undefined &&
      (containers.includes(outer) || file.path.toLowerCase().includes(outer.toLowerCase()));
    best = Math.max(best, outer === undefined ? 1 : fits ? 1.3 : 0.7);
  }
  return best;
}

function containsText({ file, startLine, endLine }: ReadPassage, phrases: readonly string[]): boolean {
  if (phrases.length === 0) return false;
  const text = textOf({ file, startLine, endLine });
  return phrases.some((phrase) => text.includes(phrase));
}

import type { LineSpan, RankedDefinition } from '../port.ts';
import {
  type Field,
  fields,
  type PassageFile,
  type PassageQuestion,
  passageQuestion,
  type ReadPassage,
  readPassages,
} from './read-passages.ts';
import { questionWordsIn } from './words.ts';

/** A passage with its rank. */
export interface ScoredPassage extends LineSpan {
  readonly file: PassageFile;
  readonly definition?: RankedDefinition;
  readonly containers: readonly string[];
  readonly score: number;
  /** The estimated probability that it answers the question. */
  readonly probability: number;
  readonly parts: PassageParts;
}

/** What each part of the ranking adds to the score of a passage. */
export type PassageParts = Record<'text' | 'file' | 'size' | 'name' | 'quoted' | 'pairs' | 'exact', number>;

export interface AskedPassages {
  readonly question: string;
  /** Names as written in code. */
  readonly identifiers: readonly string[];
  /** Texts in quotes. */
  readonly phrases: readonly string[];
}

/** Weight of an occurrence by field, and how much the length of the field reduces it. */
const fieldWeights: Record<Field, { readonly weight: number; readonly length: number }> = {
  container: { weight: 1.3, length: 0.2 },
  file: { weight: 1.6, length: 0 },
  folders: { weight: 1.6, length: 0 },
  signature: { weight: 1.2, length: 0.5 },
  doc: { weight: 0.2, length: 0.6 },
  comments: { weight: 0.1, length: 0.6 },
  strings: { weight: 0.1, length: 0.6 },
  code: { weight: 0.6, length: 0.75 },
};
const laneWeights = { text: 14, file: 3.6, size: 3.7, name: 2, quoted: 2.1, pairs: 1.1, exact: 0.7 } as const;

const asksForValue =
  /\b(?:defaults?|how (?:many|much|long|big|large|often)|limits?|maximum|minimum|max|min|constants?|values?|threshold|size of)\b/i;

export function rankPassages(files: readonly PassageFile[], asked: AskedPassages): ScoredPassage[] {
  const question = passageQuestion(questionWordsIn(asked.question));
  const read = files.flatMap((file) => readPassages(file, question));
  const statistics = statisticsOf(read, question);
  const scored = read
    .filter(({ counts, definition }) => counts.some((count) => count > 0) && definition?.isTest !== true)
    .map((passage) => {
      const parts = partsOf(passage, question, statistics, asked);
      const score = Object.values(parts).reduce((sum, part) => sum + part, 0);
      return { passage, parts, score };
    })
    .toSorted((a, b) => b.score - a.score);
  const best = scored[0]?.score ?? 0;
  const total = scored.slice(0, 200).reduce((sum, { score }) => sum + Math.exp(score - best), 0);
  return scored.map(({ passage: { file, definition, containers, startLine, endLine }, parts, score }) => ({
    file,
    ...(definition === undefined ? {} : { definition }),
    containers,
    startLine,
    endLine,
    score,
    parts,
    probability: Math.exp(score - best) / total,
  }));
}

interface Statistics {
  readonly rarity: readonly number[];
  /** Sum of the rarities of the words. */
  readonly mass: number;
  /** Sum of the rarities of the pairs. */
  readonly pairMass: number;
  readonly averages: readonly number[];
  readonly nameRarity: (stem: string) => number;
}

function statisticsOf(read: readonly ReadPassage[], question: PassageQuestion): Statistics {
  const size = question.words.size;
  const holding = new Uint32Array(size);
  const sums = new Float64Array(fields.length);
  const present = new Float64Array(fields.length);
  const names = new Map<string, number>();
  const foldersAt = fields.indexOf('folders');
  for (const { counts, lengths, nameWords } of read) {
    for (let word = 0; word < size; word++) {
      for (let at = 0; at < fields.length; at++) {
        if (at === foldersAt || counts[word * fields.length + at] === 0) continue;
        holding[word]! += 1;
        break;
      }
    }
    lengths.forEach((length, at) => {
      sums[at]! += length;
      if (length > 0) present[at]! += 1;
    });
    for (const stem of new Set(nameWords)) names.set(stem, (names.get(stem) ?? 0) + 1);
  }
  const rarityOf = (count: number): number => Math.log(1 + Math.max(0, read.length - count + 0.5) / (count + 0.5));
  const rarity = Array.from(holding, (count) => (count === 0 ? 0 : rarityOf(count)));
  return {
    rarity,
    mass: Math.max(Number.EPSILON, rarity.reduce((sum, one) => sum + one, 0)),
    pairMass: question.pairs.reduce((sum, [a, b]) => sum + (rarity[a]! + rarity[b]!) / 2, 0),
    averages: Array.from(sums, (sum, at) => (present[at]! > 0 ? sum / present[at]! : 1)),
    nameRarity: (stem) => {
      const word = question.words.get(stem);
      return word === undefined ? rarityOf(nameFactor * (names.get(stem) ?? 0)) : rarity[word]!;
    },
  };
}
const nameFactor = 3;

function partsOf(
  passage: ReadPassage,
  question: PassageQuestion,
  statistics: Statistics,
  asked: AskedPassages,
): PassageParts {
  const { rarity, mass, averages } = statistics;
  const { counts, lengths, file } = passage;
  const norms = fields.map((name, at) => {
    const { weight, length } = fieldWeights[name];
    return weight / (1 - length + (length * lengths[at]!) / averages[at]!);
  });
  let text = 0;
  rarity.forEach((weight, word) => {
    let found = 0;
    for (let at = 0; at < norms.length; at++) found += norms[at]! * counts[word * norms.length + at]!;
    text += (weight * found) / (found + 1);
  });
  const characters = lengthOf(passage);
  return {
    text: (laneWeights.text * text) / mass,
    file: laneWeights.file * file.share,
    size: asksForValue.test(asked.question) ? 0 : (laneWeights.size * Math.min(7, Math.log(1 + characters / 4))) / 7,
    name: laneWeights.name * nameShare(passage, question, statistics),
    quoted: containsText(passage, asked.phrases) ? laneWeights.quoted : 0,
    pairs: laneWeights.pairs * pairShare(passage, question, statistics),
    exact: laneWeights.exact * exactness(passage, asked.identifiers),
  };
}

/** Returns the number of characters of the passage, estimated from its words. */
function lengthOf({ lengths }: ReadPassage): number {
  return ownFields.reduce((sum, at) => sum + lengths[at]!, 0) * charactersPerWord;
}

const charactersPerWord = 8;
const ownFields = (['doc', 'comments', 'strings', 'code'] as const).map((name) => fields.indexOf(name));

function nameShare(
  { nameWords }: ReadPassage,
  { words }: PassageQuestion,
  { nameRarity }: Statistics,
): number {
  let asked = 0;
  let all = 0;
  for (const stem of new Set(nameWords)) {
    const weight = nameRarity(stem);
    all += weight;
    if (words.has(stem)) asked += weight;
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
  const text = file.lines.slice(startLine - 1, endLine).join('\n');
  return phrases.some((phrase) => text.includes(phrase));
}

import type { Candidate } from './fuse-candidates.ts';
import type { PromptSubject } from './read-prompt.ts';
import { type Block, isAttached, splitBlocks } from './split-blocks.ts';
import { splitWords } from './split-words.ts';

/** A candidate with its text in lines. */
export interface ReadCandidate {
  readonly candidate: Candidate;
  readonly lines: readonly string[];
}

/** Lines of a file worth showing: 0-based, end exclusive. */
export interface Passage {
  readonly candidate: Candidate;
  readonly lines: readonly string[];
  readonly block: Block;
  readonly start: number;
  readonly end: number;
  readonly score: number;
}

const longestExcerpt = 40;
/** A longer file is looked at round the lines that the lanes named. */
const wholeFileLines = 4000;
const margin = 150;

interface Scored extends ReadCandidate {
  readonly block: Block;
  readonly counts: ReadonlyMap<string, number>;
}

/**
 * The passages of all candidates, best first, at most `perFile` of one file: definitions and their comments beat
 * usages.
 */
export function chooseBlocks(
  files: readonly ReadCandidate[],
  subject: PromptSubject,
  perFile: number,
): Passage[] {
  const terms = new Set(subject.terms.flatMap(splitWords));
  const blocks = files.flatMap((file) =>
    blocksOf(file).map((block) => ({ ...file, block, counts: countTerms(file.lines, block, terms) })),
  );
  const rarity = rarityOf(blocks, terms);
  const scored = blocks
    .map((entry) => ({ entry, score: scoreOf(entry, rarity, subject) }))
    .filter(({ score }) => score > 0);
  const best = Math.max(...scored.map(({ score }) => score), Number.EPSILON);
  const passages = scored.map(({ entry, score }) =>
    passageOf(entry, terms, entry.candidate.score * (0.4 + (0.6 * score) / best)),
  );
  return capPerFile(
    passages.toSorted((a, b) => b.score - a.score || a.start - b.start),
    perFile,
  );
}

function blocksOf({ lines, candidate }: ReadCandidate): Block[] {
  if (lines.length <= wholeFileLines) return splitBlocks(lines, candidate.language);
  const centres = [...candidate.lines, ...candidate.spans.map(({ startLine }) => startLine)].slice(0, 4);
  return centres.flatMap((centre) => {
    const offset = Math.max(0, centre - margin);
    return splitBlocks(lines.slice(offset, centre + margin), candidate.language).map((block) => ({
      ...block,
      start: block.start + offset,
      end: block.end + offset,
      head: block.head + offset,
    }));
  });
}

/** How often each term stands in the block; in what it defines or is headed it counts thrice, in its comment twice. */
function countTerms(lines: readonly string[], block: Block, terms: ReadonlySet<string>): Map<string, number> {
  const counts = new Map<string, number>();
  const add = (text: string, times: number): void => {
    for (const word of splitWords(text))
      if (terms.has(word)) counts.set(word, (counts.get(word) ?? 0) + times);
  };
  if (block.name !== undefined) add(block.name, 3);
  for (const line of lines.slice(block.start, block.end)) {
    if (line.length <= 1000 && !isImport(line)) add(line, isAttached(line) ? 2 : 1);
  }
  return counts;
}

function isImport(line: string): boolean {
  return /^\s*(?:import\b|export .* from\b|from \S+ import\b|#include\b|use [\w:]+|using [\w.]+;|require[( ]|package [\w.]+;?$|\} from ')/u.test(
    line,
  );
}

function rarityOf(blocks: readonly Scored[], terms: ReadonlySet<string>): ReadonlyMap<string, number> {
  const holding = (term: string): number => blocks.filter(({ counts }) => counts.has(term)).length;
  return new Map([...terms].map((term) => [term, Math.log(1 + blocks.length / (1 + holding(term)))]));
}

/** Rarity times saturated frequency (BM25's k1 = 1.2), then what the lanes said of these very lines. */
function scoreOf(
  { block, counts, candidate }: Scored,
  rarity: ReadonlyMap<string, number>,
  subject: PromptSubject,
): number {
  let score = 0;
  for (const [term, count] of counts) score += (rarity.get(term) ?? 0) * ((count * 2.2) / (count + 1.2));
  const length = block.end - block.start;
  score /= 1 + Math.max(0, length - longestExcerpt) / 160;
  const within = (line: number): boolean => line > block.start && line <= block.end;
  const exact = new Set(candidate.lines.filter(within)).size;
  const isDefinition = subject.identifiers.some(
    (name) => block.name === name || name.endsWith(`.${block.name}`),
  );
  const isNamedFile = candidate.isNamed && block.start < 3;
  const isSpan = candidate.spans.some(
    ({ startLine, endLine }) => startLine <= block.end && endLine > block.start,
  );
  if (/^(?:table of )?contents$/iu.test(block.name ?? '')) score *= 0.2;
  if (length < 3 && exact === 0 && !isDefinition) score *= 0.7;
  return (
    score +
    Math.min(exact, 3) * 1.5 +
    (isDefinition ? 5 : 0) +
    (isNamedFile ? 2 : 0) +
    (isSpan && score > 0 ? 0.5 : 0)
  );
}

/** The block, or of a long one the window with the most to say, beginning at its head where it can. */
function passageOf(entry: Scored, terms: ReadonlySet<string>, score: number): Passage {
  const { block, candidate, lines } = entry;
  if (block.end - block.start <= longestExcerpt)
    return { candidate, lines, block, start: block.start, end: block.end, score };
  const weights = lines.slice(block.start, block.end).map((line, index) => {
    const named = candidate.lines.includes(block.start + index + 1) ? 3 : 0;
    return named + new Set(splitWords(line.slice(0, 1000)).filter((word) => terms.has(word))).size;
  });
  const start = block.start + bestWindow(weights);
  return { candidate, lines, block, start, end: Math.min(block.end, start + longestExcerpt), score };
}

/** Offset of the heaviest window; the head of the block wins unless another is a third heavier. */
function bestWindow(weights: readonly number[]): number {
  const sum = (from: number): number =>
    weights.slice(from, from + longestExcerpt).reduce((total, weight) => total + weight, 0);
  let best = 0;
  let most = sum(0) * 1.33;
  let running = sum(0);
  for (let from = 1; from + longestExcerpt <= weights.length; from++) {
    running += (weights[from + longestExcerpt - 1] ?? 0) - (weights[from - 1] ?? 0);
    if (running > most) [best, most] = [from, running];
  }
  return best;
}

function capPerFile(passages: readonly Passage[], perFile: number): Passage[] {
  const taken = new Map<Candidate, number>();
  return passages.filter(({ candidate }) => {
    const count = (taken.get(candidate) ?? 0) + 1;
    taken.set(candidate, count);
    return count <= perFile;
  });
}

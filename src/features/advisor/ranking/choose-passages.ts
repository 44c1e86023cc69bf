import type { RankedDefinition, RankedFile, RankedSpan } from '../../../backends/codesearch/port.ts';

/** Lines of a ranked file that may be quoted. */
export interface Passage {
  readonly file: RankedFile;
  readonly span: RankedSpan;
  /** The definitions that begin in the span, in line order. */
  readonly definitions: readonly RankedDefinition[];
  /** Higher is better; comparable within one ranking. */
  readonly score: number;
}

export interface PassageBudget {
  /** Maximum number of passages. */
  readonly limit: number;
  /** Maximum number of characters of all passages. */
  readonly characters: number;
}

/** The first files contribute their best passage before any file contributes a second one. */
const guaranteedFiles = 12;
/** Maximum length of a guaranteed passage, in characters (500 tokens). */
const guaranteedCharacters = 2000;
const maxFiles = 20;
/** Characters that a passage costs besides its text: its address, title and reasons. */
const overheadCharacters = 160;

/**
 * Chooses the passages of a ranking within a budget, in the order of their value. Of the rules that were measured, this
 * one kept the most changed files and definitions: first the best short passage of each of the first files, then all
 * others by score for their length.
 */
export function choosePassages(
  files: readonly RankedFile[],
  { limit, characters }: PassageBudget,
): readonly Passage[] {
  const offered = files
    .slice(0, maxFiles)
    .flatMap((file, rank) => file.spans.map((span) => offerOf(file, span, rank)));
  const first = files.slice(0, guaranteedFiles).flatMap((file) => {
    const short = offered.filter(
      (offer) => offer.file === file && offer.span.text.length <= guaranteedCharacters,
    );
    return short.slice(0, 1);
  });
  const guaranteed = new Set(first);
  const others = offered.filter((offer) => !guaranteed.has(offer)).toSorted((a, b) => b.value - a.value);
  const chosen: Passage[] = [];
  let left = characters;
  for (const { file, span, score } of [...first, ...others]) {
    const cost = span.text.length + overheadCharacters;
    if (chosen.length >= limit) break;
    if (cost > left) continue;
    left -= cost;
    chosen.push({ file, span, score, definitions: definitionsIn(file, span) });
  }
  return chosen;
}

interface Offer {
  readonly file: RankedFile;
  readonly span: RankedSpan;
  readonly score: number;
  readonly value: number;
}

function offerOf(file: RankedFile, span: RankedSpan, rank: number): Offer {
  const tokens = span.text.length / 4;
  const score = (0.15 + span.score) / (1 + 0.5 * rank);
  return { file, span, score, value: score / Math.sqrt(tokens + 40) };
}

function definitionsIn({ definitions }: RankedFile, span: RankedSpan): readonly RankedDefinition[] {
  return definitions.filter(({ line }) => line >= span.startLine && line <= span.endLine);
}

import { classWeights, type FileClass } from '../file-class.ts';
import {
  type Confidence,
  type Definition,
  maxLineLength,
  maxPassages,
  type RankedFile,
  type RankedPassage,
  type RankedPassages,
  type RankRequest,
} from '../port.ts';
import { definitionExtents } from '../spans/definition-extents.ts';
import { rankPassages, type ScoredPassage } from './rank-passages.ts';
import type { PassageFile } from './read-passages.ts';

/** A ranked file with its text. */
export interface FileOfPassages {
  readonly file: Omit<RankedFile, 'spans' | 'definitions'>;
  readonly text: Buffer;
  /** In line order. */
  readonly definitions: readonly Definition[];
}

/** Limits of the texts whose passages are ranked, and of the question. */
export const maxRead = { files: 60, bytes: 1 << 20, characters: 4_000 } as const;

/** Classes of files whose passages answer a question only if it asks for such files. */
const besides: ReadonlySet<FileClass> = new Set(['test', 'fixture', 'generated']);

/** Ranks the passages of ranked files, which are given best first. */
export function rankedPassages(
  ranked: Iterable<FileOfPassages>,
  request: RankRequest & { readonly question: string },
): RankedPassages {
  const files = new Map<PassageFile, FileOfPassages>();
  let best = 0;
  let bytes = 0;
  for (const one of ranked) {
    const { fileClass, path, language, score } = one.file;
    best = Math.max(best, score);
    const isAskedFor = (request.weights?.[fileClass] ?? 0) > classWeights[fileClass];
    if (besides.has(fileClass) && !isAskedFor) continue;
    if (files.size === maxRead.files || bytes > maxRead.bytes) break;
    bytes += one.text.length;
    const lines = linesOf(one.text);
    const definitions = definitionExtents(
      lines,
      one.definitions.filter(({ line }) => line <= lines.length),
    );
    const share = score / Math.max(best, Number.EPSILON);
    files.set({ path, language, fileClass, isAskedFor, share, text: one.text, lines, definitions }, one);
  }
  const { identifiers, phrases = [] } = request;
  const question = request.question.slice(0, maxRead.characters);
  const passages = rankPassages([...files.keys()], { question, identifiers, phrases });
  return {
    best: passages
      .slice(0, maxPassages.count)
      .map((passage) => toRanked(passage, (file) => files.get(file)!.file)),
    confidence: confidenceOf(passages),
  };
}

/** Least probability that the answer is among the first passages. */
const least = { likely: 0.8, possible: 0.5 } as const;
const shown = 5;

function confidenceOf(passages: readonly ScoredPassage[]): Confidence {
  const sum = passages.slice(0, shown).reduce((total, { probability }) => total + probability, 0);
  return sum >= least.likely ? 'likely' : sum >= least.possible ? 'possible' : 'weak';
}

function linesOf(text: Buffer): string[] {
  const whole = text.toString();
  return whole === '' ? [] : whole.replace(/\r?\n$/, '').split(/\r?\n/);
}

function toRanked(
  passage: ScoredPassage,
  rankedOf: (file: PassageFile) => FileOfPassages['file'],
): RankedPassage {
  const { definition, containers, startLine, endLine, score, probability } = passage;
  const { repository, commit, path, language, fileClass } = rankedOf(passage.file);
  return {
    repository,
    commit,
    path,
    language,
    fileClass,
    startLine,
    endLine,
    ...(definition === undefined ? {} : { definition }),
    containers,
    score,
    probability,
    reasons: reasonsOf(passage),
    twins: passage.twins.map((twin) => ({
      repository: rankedOf(twin.file).repository,
      path: twin.file.path,
      startLine: twin.startLine,
      endLine: twin.endLine,
    })),
    text: passage.file.lines
      .slice(startLine - 1, endLine)
      .map((line) => (line.length <= maxLineLength ? line : line.slice(0, maxLineLength).toWellFormed()))
      .join('\n')
      .slice(0, maxPassages.length)
      .toWellFormed(),
  };
}

function reasonsOf({ parts }: ScoredPassage): string[] {
  return Object.entries(parts)
    .filter(([, part]) => part > 0)
    .toSorted(([, a], [, b]) => b - a)
    .map(([name]) => name);
}

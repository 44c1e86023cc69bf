import {
  type Definition,
  type LineSpan,
  maxLineLength,
  maxSpans,
  type RankedDefinition,
  type RankedFile,
  type RankedSpan,
} from '../port.ts';
import { cutUnits } from './cut-units.ts';
import { definitionExtents } from './definition-extents.ts';

/** A ranked file with what its spans are chosen by. */
export interface ReadFile {
  readonly file: Omit<RankedFile, 'spans' | 'definitions'>;
  readonly lines: readonly string[];
  /** In line order. */
  readonly definitions: readonly Definition[];
  /** The lines that contain terms of the question, in line order; a term counts once for each occurrence. */
  readonly hits: readonly TermHit[];
  /** Lines that contain a name or text of the question as written, or that the question points to. */
  readonly exactLines: readonly number[];
}

export interface TermHit {
  /** 1-based. */
  readonly line: number;
  /** Index in the weights of the terms. */
  readonly term: number;
}

/** The properties of a question by which spans are chosen. */
export interface SpanQuestion {
  /** Rarity of each term. */
  readonly weights: readonly number[];
  /** Names as written; the definition of one is the best span of its file. */
  readonly names: readonly string[];
}

const k1 = 1.2;
const lengthNormalization = 0.6;
/** Weight of a term in the first lines of a unit, where its name and description are. */
const headWeight = 0.5;
const headLines = 3;
/** Points for a line that contains a name as written, at most this number of times. */
const exactWeight = 1.5;
const maxExact = 3;
const definitionWeight = 8;

interface ScoredUnit {
  readonly unit: LineSpan;
  readonly score: number;
}

/**
 * Adds to each file its spans, best first, and the definitions in them. Scores are comparable over the files. Files get
 * no spans from when `isEnough` returns true, which is called with the number of those that have them.
 */
export function chooseSpans(
  files: readonly ReadFile[],
  question: SpanQuestion,
  isEnough: (done: number) => boolean = () => false,
): RankedFile[] {
  const names = new Set(question.names.flatMap((name) => [name, name.split(/\.|::|#/).at(-1)!]));
  const cut = files.map((read, done) => {
    if (isEnough(done)) return { read, definitions: [], units: [] };
    const definitions = definitionExtents(read.lines, read.definitions);
    const units = cutUnits(read.lines, read.file.language, definitions, ({ name }) => names.has(name));
    return { read, definitions, units };
  });
  const all = cut.flatMap(({ units, read }) => units.map((unit) => charactersOf(read.lines, unit)));
  const average = Math.max(1, all.reduce((sum, length) => sum + length, 0) / Math.max(1, all.length));
  const scored = cut.map((one) => ({ ...one, units: scoreUnits(one, names, question, average) }));
  const best = Math.max(Number.EPSILON, ...scored.map(({ units }) => units[0]?.score ?? 0));
  return scored.map(({ read, definitions, units }) => {
    const spans = units
      .slice(0, maxSpans.count)
      .map(({ unit, score }) => ({ ...unit, score: score / best, text: textOf(read.lines, unit) }));
    return { ...read.file, spans, definitions: definitionsIn(definitions, spans) };
  });
}

/** Returns the units that contain a term, best first; the first unit if none does. */
function scoreUnits(
  {
    read,
    definitions,
    units,
  }: {
    readonly read: ReadFile;
    readonly definitions: readonly RankedDefinition[];
    readonly units: readonly LineSpan[];
  },
  names: ReadonlySet<string>,
  question: SpanQuestion,
  average: number,
): ScoredUnit[] {
  const namedLines = definitions.filter(({ name }) => names.has(name)).map(({ line }) => line);
  let named = 0;
  let hit = 0;
  const scored = units.map((unit) => {
    const counts = new Map<number, number>();
    const inHead = new Set<number>();
    for (; hit < read.hits.length && read.hits[hit]!.line <= unit.endLine; hit++) {
      const { line, term } = read.hits[hit]!;
      if (line < unit.startLine) continue;
      counts.set(term, (counts.get(term) ?? 0) + 1);
      if (line < unit.startLine + headLines) inHead.add(term);
    }
    const length = 1 - lengthNormalization + (lengthNormalization * charactersOf(read.lines, unit)) / average;
    let score = 0;
    for (const [term, count] of counts)
      score += (question.weights[term] ?? 0) * ((count * (k1 + 1)) / (count + k1 * length));
    for (const term of inHead) score += headWeight * (question.weights[term] ?? 0);
    const exact = read.exactLines.filter((line) => line >= unit.startLine && line <= unit.endLine).length;
    while (named < namedLines.length && namedLines[named]! < unit.startLine) named++;
    const isNamed = named < namedLines.length && namedLines[named]! <= unit.endLine;
    return {
      unit,
      score: score + exactWeight * Math.min(exact, maxExact) + (isNamed ? definitionWeight : 0),
    };
  });
  const found = scored.filter(({ score }) => score > 0);
  return (found.length > 0 ? found : scored.slice(0, 1)).toSorted(
    (a, b) => b.score - a.score || a.unit.startLine - b.unit.startLine,
  );
}

function charactersOf(lines: readonly string[], { startLine, endLine }: LineSpan): number {
  let length = 0;
  for (let line = startLine; line <= endLine; line++)
    length += Math.min(lines[line - 1]!.length, maxLineLength) + 1;
  return length;
}

function textOf(lines: readonly string[], { startLine, endLine }: LineSpan): string {
  return lines
    .slice(startLine - 1, endLine)
    .map((line) => (line.length <= maxLineLength ? line : line.slice(0, maxLineLength).toWellFormed()))
    .join('\n')
    .slice(0, maxSpans.length)
    .toWellFormed();
}

/** Maximum number of definitions of a file in an answer. */
const maxDefinitions = 200;

function definitionsIn(
  definitions: readonly RankedDefinition[],
  spans: readonly RankedSpan[],
): RankedDefinition[] {
  return definitions
    .filter(({ line }) => spans.some(({ startLine, endLine }) => line >= startLine && line <= endLine))
    .slice(0, maxDefinitions);
}

import type { LineSpan } from '../../port.ts';
import { eachTerm } from '../format/terms.ts';
import type { RankTerm } from './rank-terms.ts';

const MOST_SPANS = 3;
/** Lines that are scored together. */
const WINDOW = 20;
const LONGEST_SPAN = 40;
/** Lines added where the best lines stand alone. */
const MARGIN = 4;
/** Another span must be worth so much of the best one. */
const WORTH = 0.5;
/** A line that holds a name of the question as written is worth so many rare terms. */
const NAME_WEIGHT = 12;
const NEWLINE = 0x0a;

interface HitLine {
  /** 0-based. */
  readonly line: number;
  /** Weight by term; the index beyond the terms stands for names. */
  readonly terms: Set<number>;
}

/** The windows of lines that speak most for a document, best first. */
export function chooseSpans(text: Buffer, terms: readonly RankTerm[], names: readonly string[]): LineSpan[] {
  const starts = lineStarts(text);
  const hits = hitLines(text, starts, terms, names);
  const weight = (index: number): number => terms[index]?.contentWeight ?? NAME_WEIGHT;
  const windows = hits
    .map((_, first) => scoreWindow(hits, first, weight))
    .toSorted((a, b) => b.score - a.score || a.from - b.from);
  const best = windows[0];
  if (best === undefined)
    return starts.length === 0 ? [] : [{ startLine: 1, endLine: Math.min(starts.length, WINDOW) }];
  const spans: LineSpan[] = [];
  for (const window of windows) {
    if (spans.length === MOST_SPANS || window.score < best.score * WORTH) break;
    const span = widen(text, starts, window);
    if (!spans.some((other) => span.startLine <= other.endLine && other.startLine <= span.endLine))
      spans.push(span);
  }
  return spans;
}

function hitLines(
  text: Buffer,
  starts: readonly number[],
  terms: readonly RankTerm[],
  names: readonly string[],
): HitLine[] {
  const indexOf = new Map(terms.map((term, index) => [term.content, index]));
  const byLine = new Map<number, Set<number>>();
  const note = (line: number, index: number): void => {
    const known = byLine.get(line);
    if (known === undefined) byLine.set(line, new Set([index]));
    else known.add(index);
  };
  let line = 0;
  eachTerm(text, 0, text.length, (term, start) => {
    const index = indexOf.get(term);
    if (index === undefined) return;
    while (line + 1 < starts.length && starts[line + 1]! <= start) line++;
    note(line, index);
  });
  names.forEach((name, index) => {
    line = 0;
    for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, starts[line + 1])) {
      while (line + 1 < starts.length && starts[line + 1]! <= at) line++;
      note(line, terms.length + index);
      // Another on the same line says nothing more.
      if (line + 1 >= starts.length) break;
    }
  });
  return [...byLine]
    .map(([number, found]) => ({ line: number, terms: found }))
    .toSorted((a, b) => a.line - b.line);
}

interface Window {
  readonly from: number;
  readonly to: number;
  readonly score: number;
}

/** Different terms together count in full, their repetitions a little. */
function scoreWindow(hits: readonly HitLine[], first: number, weight: (index: number) => number): Window {
  const from = hits[first]!.line;
  const seen = new Set<number>();
  let score = 0;
  let to = from;
  for (let index = first; index < hits.length && hits[index]!.line < from + WINDOW; index++) {
    to = hits[index]!.line;
    for (const term of hits[index]!.terms) {
      score += seen.has(term) ? weight(term) * 0.1 : weight(term);
      seen.add(term);
    }
  }
  return { from, to, score };
}

/** Out to the blank lines around, where they are near: a block is easier to read than its middle. */
function widen(text: Buffer, starts: readonly number[], { from, to }: Window): LineSpan {
  let start = from;
  let end = to;
  for (let step = 0; step < MARGIN && start > 0 && !isBlank(text, starts, start - 1); step++) start--;
  while (end + 1 < starts.length && end - start + 1 < LONGEST_SPAN && !isBlank(text, starts, end + 1)) {
    if (end - to >= WINDOW - (to - from)) break;
    end++;
  }
  return { startLine: start + 1, endLine: end + 1 };
}

function isBlank(text: Buffer, starts: readonly number[], line: number): boolean {
  const end = starts[line + 1] ?? text.length;
  return text.toString('latin1', starts[line], end).trim() === '';
}

function lineStarts(text: Buffer): number[] {
  const starts: number[] = text.length === 0 ? [] : [0];
  for (let at = text.indexOf(NEWLINE); at >= 0 && at + 1 < text.length; at = text.indexOf(NEWLINE, at + 1)) {
    starts.push(at + 1);
  }
  return starts;
}

import { basename } from 'node:path/posix';
import type { SymbolKind } from '../../port.ts';
import { fileRank } from '../format/static-rank.ts';
import type { ContentAtom, PathAtom, PositiveAtoms, SymbolAtom } from './compile-query.ts';
import { type DefinitionMatch, definitionOf, type Grade, hasSymbols } from './definition.ts';
import { looksLikeDefinition } from './line-definition.ts';
import type { DocumentText } from './open-document.ts';
import { type SearchableText, searchablePath } from './text/searchable-text.ts';
import type { Span } from './text/span.ts';

/** Points by signal, on the scale of Zoekt: a definition and a file name weigh most, then whole words. */
const weight = {
  fileName: 3500,
  fileNamePart: 1500,
  pathPart: 500,
  word: 500,
  wordStart: 50,
  line: 10,
  /** A line that looks like a definition, in a document whose definitions the index does not contain. */
  looksDefined: 4000,
};
const definitionWeight: Readonly<Record<Grade, number>> = { whole: 7000, start: 2000, part: 1000 };
/** Factor for a name whose letters differ in case from the search. */
const otherCaseFactor = 0.8;
/**
 * Additional points by kind of definition. Kinds that are defined once and used everywhere precede kinds that every
 * file defines for itself.
 */
const kindWeight: Readonly<Partial<Record<SymbolKind, number>>> = {
  class: 600,
  interface: 600,
  struct: 600,
  type: 550,
  enum: 550,
  function: 500,
  macro: 400,
  module: 400,
  method: 300,
  constant: 200,
  variable: 100,
};
/** Factors by static rank. Tests, documentation and vendored code are searched for less often than source code. */
const byRank: readonly { readonly factor: number; readonly reason?: string }[] = Object.values({
  [fileRank.source]: { factor: 1 },
  [fileRank.test]: { factor: 0.6, reason: 'test file' },
  [fileRank.docs]: { factor: 0.5, reason: 'documentation' },
  [fileRank.vendored]: { factor: 0.2, reason: 'vendored or generated' },
});
/** Penalty per character of the path, less than any of the weights. Among equal files it puts shorter paths first. */
const pathLengthPenalty = 0.01;
const wordSeparator = /[_-]/;
/** Maximum number of characters of a match that are compared with the name of the file. */
const maxSampleLength = 200;

export interface DocumentScore {
  readonly score: number;
  readonly signals: readonly Signal[];
  /** The reason why the score is reduced, if it is. */
  readonly demotion: string | undefined;
}

export interface Signal {
  readonly points: number;
  readonly reason?: string;
}

/**
 * Scores a document: for each atom what the document defines, the best of its first `maxLines` matching lines, and
 * its name.
 */
export function scoreDocument(
  atoms: PositiveAtoms,
  text: DocumentText,
  path: string,
  maxLines: number,
): DocumentScore {
  const signals: Signal[] = [];
  for (const atom of atoms.content) addContent(signals, atom, text, path, maxLines);
  for (const atom of atoms.symbol) addSymbol(signals, atom, text, path);
  for (const atom of atoms.path) signals.push(pathSignal(path, atom));
  const points = signals.reduce((sum, signal) => sum + signal.points, 1);
  const rank = byRank[text.live.segment.documents.ranks[text.document]!]!;
  return {
    score: points * rank.factor - path.length * pathLengthPenalty,
    signals,
    demotion: rank.reason,
  };
}

/** Returns the reasons for the score as texts for people, strongest first; the demotion comes last. */
export function reasonsOf({ signals, demotion }: DocumentScore): string[] {
  const reasons = signals
    .filter(({ points, reason }) => points > 0 && reason !== undefined)
    .toSorted((a, b) => b.points - a.points)
    .map(({ reason }) => reason!);
  return [...new Set(reasons), ...(demotion === undefined ? [] : [demotion])];
}

function addContent(
  signals: Signal[],
  atom: ContentAtom,
  text: DocumentText,
  path: string,
  maxLines: number,
): void {
  const best = bestLine(atom, text, maxLines);
  if (best.lines === 0) return;
  if (best.definition !== undefined) signals.push(definitionSignal(best.definition));
  else if (best.looksDefined) signals.push({ points: weight.looksDefined, reason: `defines ${best.sample}` });
  if (best.word > 0)
    signals.push(
      best.word === weight.word ? { points: best.word, reason: 'whole word' } : { points: best.word },
    );
  signals.push({ points: Math.min(best.lines, 10) * weight.line });
  addFileName(signals, path, best.sample);
}

function addSymbol(signals: Signal[], atom: SymbolAtom, text: DocumentText, path: string): void {
  const definition = definitionOf(atom, text);
  if (definition === undefined) return;
  signals.push(definitionSignal(definition));
  addFileName(signals, path, definition.symbol.name);
}

function definitionSignal({ grade, symbol: { name, kind }, inOtherCase }: DefinitionMatch): Signal {
  const points = definitionWeight[grade] + (grade === 'whole' ? (kindWeight[kind] ?? 0) : 0);
  return {
    points: inOtherCase ? points * otherCaseFactor : points,
    reason: `defines ${name} (${kind})`,
  };
}

function addFileName(signals: Signal[], path: string, sample: string): void {
  const points = fileNameScore(path, sample);
  if (points > 0) signals.push({ points, reason: 'file name' });
}

export interface BestLine {
  /** Points for word boundaries around the match. */
  word: number;
  looksDefined: boolean;
  definition: DefinitionMatch | undefined;
  lines: number;
  /** The matched text. */
  sample: string;
}

/** Returns the best of the first `maxLines` matching lines of a document. */
export function bestLine(atom: ContentAtom, text: DocumentText, maxLines: number): BestLine {
  const best: BestLine = {
    word: 0,
    looksDefined: false,
    definition: definitionOf(atom, text),
    lines: 0,
    sample: '',
  };
  const checksLines = !hasSymbols(text);
  for (const unit of text.unitsOf(atom)) {
    const searched = text.unit(unit, atom);
    for (let from = 0; from === 0 || from <= searched.length(); ) {
      const span = atom.matcher.first(searched, from);
      if (span === undefined) break;
      scoreLine(best, searched, span, checksLines);
      if (++best.lines >= maxLines || isBest(best, checksLines)) return best;
      from = searched.endOfLine(span.end) + 1;
    }
  }
  return best;
}

function scoreLine(best: BestLine, searched: SearchableText, span: Span, checksLines: boolean): void {
  const word = wordScore(searched, span);
  const defines = checksLines && word === weight.word && looksLikeDefinition(searched, span);
  if (best.lines > 0 && word <= best.word && !defines) return;
  best.word = Math.max(best.word, word);
  best.looksDefined ||= defines;
  best.sample = searched.slice(span.start, Math.min(span.end, span.start + maxSampleLength));
}

function isBest(best: BestLine, checksLines: boolean): boolean {
  return best.word === weight.word && (best.looksDefined || !checksLines);
}

export function isDefinition({ looksDefined, definition }: BestLine): boolean {
  return looksDefined || definition?.grade === 'whole';
}

export function isWholeWord(line: BestLine): boolean {
  return line.word >= weight.word;
}

function wordScore(searched: SearchableText, { start, end }: Span): number {
  const startsWord = start === 0 || !isWord(searched.codeAt(start - 1)) || !isWordAt(searched, start);
  const endsWord = end === 0 || !isWord(searched.codeAt(end - 1)) || !isWordAt(searched, end);
  if (startsWord && endsWord) return weight.word;
  return startsWord || endsWord ? weight.wordStart : 0;
}

function isWordAt(searched: SearchableText, at: number): boolean {
  return at < searched.length() && isWord(searched.codeAt(at));
}

function isWord(code: number): boolean {
  return (
    (code >= 0x61 && code <= 0x7a) ||
    (code >= 0x41 && code <= 0x5a) ||
    (code >= 0x30 && code <= 0x39) ||
    code === 0x5f ||
    code >= 0x80
  );
}

/** Returns points for a file that is named after the matched text: `lease.ts`, `LeaseTable.java` for `lease`. */
function fileNameScore(path: string, sample: string): number {
  if (sample.length < 3) return 0;
  const name = basename(path).toLowerCase();
  const wanted = sample.toLowerCase();
  const stem = name.slice(0, name.indexOf('.') > 0 ? name.indexOf('.') : name.length);
  if (stem === wanted || isSameJoined(stem, wanted)) return weight.fileName;
  return name.includes(wanted) ? weight.fileNamePart : 0;
}

function isSameJoined(a: string, b: string): boolean {
  return (wordSeparator.test(a) || wordSeparator.test(b)) && joined(a) === joined(b);
}

function joined(name: string): string {
  return name.replaceAll(/[_-]/g, '');
}

function pathSignal(path: string, atom: PathAtom): Signal {
  const name = basename(path);
  const span = atom.matcher.first(searchablePath(name), 0);
  if (span === undefined) {
    const inFolder = atom.matcher.first(searchablePath(path), 0) !== undefined;
    return inFolder ? { points: weight.pathPart, reason: 'path' } : { points: 0 };
  }
  const whole = span.start === 0 && (span.end === name.length || name[span.end] === '.');
  return { points: whole ? weight.fileName : weight.fileNamePart, reason: 'file name' };
}

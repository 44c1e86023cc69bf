import { basename } from 'node:path/posix';
import type { SymbolKind } from '../../port.ts';
import { RANK } from '../format/static-rank.ts';
import type { ContentAtom, PathAtom, ShownAtoms, SymbolAtom } from './compile-query.ts';
import { type Definition, definitionOf, type Grade, hasSymbols } from './definition.ts';
import { looksLikeDefinition } from './line-definition.ts';
import type { DocumentText } from './open-document.ts';
import { type SearchableText, searchablePath } from './searchable-text.ts';
import type { Span } from './span.ts';

/** The scale is Zoekt's: a definition and a file name weigh most, then whole words. */
const WEIGHT = {
  fileName: 3500,
  fileNamePart: 1500,
  pathPart: 500,
  word: 500,
  wordStart: 50,
  line: 10,
  /** A line that looks like a definition, in a language whose symbols the index does not know. */
  looksDefined: 4000,
};
const DEFINITION: Readonly<Record<Grade, number>> = { whole: 7000, start: 2000, part: 1000 };
/** So much of it for a name that is written with other letters than were asked for. */
const OTHER_CASE = 0.8;
/** What is defined once and used everywhere is looked for before what every file has its own of. */
const KIND: Readonly<Partial<Record<SymbolKind, number>>> = {
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
/** Tests, documentation and foreign code are looked for less often than the code itself. */
const BY_RANK: readonly { readonly factor: number; readonly reason?: string }[] = Object.values({
  [RANK.source]: { factor: 1 },
  [RANK.test]: { factor: 0.6, reason: 'test file' },
  [RANK.docs]: { factor: 0.5, reason: 'documentation' },
  [RANK.vendored]: { factor: 0.2, reason: 'vendored or generated' },
});
/** Shorter paths first among equals: less than any of the weights. */
const PATH_LENGTH = 0.01;
const JOINT = /[_-]/;
/** Characters of a match that are compared with the name of the file. */
const LONGEST_SAMPLE = 200;

export interface DocumentScore {
  readonly score: number;
  readonly signals: readonly Signal[];
  /** What speaks against the file. */
  readonly demotion: string | undefined;
}

export interface Signal {
  readonly points: number;
  readonly reason?: string;
}

/** How well a document answers: for each atom what it defines, the best of its first `mostLines` lines, and its name. */
export function scoreDocument(
  atoms: ShownAtoms,
  text: DocumentText,
  path: string,
  mostLines: number,
): DocumentScore {
  const signals: Signal[] = [];
  for (const atom of atoms.content) addContent(signals, atom, text, path, mostLines);
  for (const atom of atoms.symbol) addSymbol(signals, atom, text, path);
  for (const atom of atoms.path) signals.push(pathSignal(path, atom));
  const points = signals.reduce((sum, signal) => sum + signal.points, 1);
  const rank = BY_RANK[text.live.segment.documents.ranks[text.document]!]!;
  return {
    score: points * rank.factor - path.length * PATH_LENGTH,
    signals,
    demotion: rank.reason,
  };
}

/** In words for people, strongest first; what speaks against the file last. */
export function reasonsOf({ signals, demotion }: DocumentScore): string[] {
  const said = signals
    .filter(({ points, reason }) => points > 0 && reason !== undefined)
    .toSorted((a, b) => b.points - a.points)
    .map(({ reason }) => reason!);
  return [...new Set(said), ...(demotion === undefined ? [] : [demotion])];
}

function addContent(
  signals: Signal[],
  atom: ContentAtom,
  text: DocumentText,
  path: string,
  mostLines: number,
): void {
  const best = bestLine(atom, text, mostLines);
  if (best.lines === 0) return;
  if (best.definition !== undefined) signals.push(definitionSignal(best.definition));
  else if (best.looksDefined) signals.push({ points: WEIGHT.looksDefined, reason: `defines ${best.sample}` });
  if (best.word > 0)
    signals.push(
      best.word === WEIGHT.word ? { points: best.word, reason: 'whole word' } : { points: best.word },
    );
  signals.push({ points: Math.min(best.lines, 10) * WEIGHT.line });
  addFileName(signals, path, best.sample);
}

function addSymbol(signals: Signal[], atom: SymbolAtom, text: DocumentText, path: string): void {
  const definition = definitionOf(atom, text);
  if (definition === undefined) return;
  signals.push(definitionSignal(definition));
  addFileName(signals, path, definition.symbol.name);
}

function definitionSignal({ grade, symbol: { name, kind }, inOtherCase }: Definition): Signal {
  const points = DEFINITION[grade] + (grade === 'whole' ? (KIND[kind] ?? 0) : 0);
  return {
    points: inOtherCase ? points * OTHER_CASE : points,
    reason: `defines ${name} (${kind})`,
  };
}

function addFileName(signals: Signal[], path: string, sample: string): void {
  const points = fileNameScore(path, sample);
  if (points > 0) signals.push({ points, reason: 'file name' });
}

export interface BestLine {
  /** Points for standing as a word of its own. */
  word: number;
  looksDefined: boolean;
  definition: Definition | undefined;
  lines: number;
  /** What was matched there. */
  sample: string;
}

/** The line that speaks most for a document, of its first `mostLines` lines with a match. */
export function bestLine(atom: ContentAtom, text: DocumentText, mostLines: number): BestLine {
  const best: BestLine = {
    word: 0,
    looksDefined: false,
    definition: definitionOf(atom, text),
    lines: 0,
    sample: '',
  };
  const asksLines = !hasSymbols(text);
  for (const unit of text.unitsOf(atom)) {
    const searched = text.unit(unit, atom);
    for (let from = 0; from === 0 || from <= searched.length(); ) {
      const span = atom.matcher.first(searched, from);
      if (span === undefined) break;
      judgeLine(best, searched, span, asksLines);
      if (++best.lines >= mostLines || isBest(best, asksLines)) return best;
      from = searched.endOfLine(span.end) + 1;
    }
  }
  return best;
}

function judgeLine(best: BestLine, searched: SearchableText, span: Span, asksLines: boolean): void {
  const word = wordScore(searched, span);
  const defines = asksLines && word === WEIGHT.word && looksLikeDefinition(searched, span);
  if (best.lines > 0 && word <= best.word && !defines) return;
  best.word = Math.max(best.word, word);
  best.looksDefined ||= defines;
  best.sample = searched.slice(span.start, Math.min(span.end, span.start + LONGEST_SAMPLE));
}

function isBest(best: BestLine, asksLines: boolean): boolean {
  return best.word === WEIGHT.word && (best.looksDefined || !asksLines);
}

export function isDefinition({ looksDefined, definition }: BestLine): boolean {
  return looksDefined || definition?.grade === 'whole';
}

export function isWholeWord(line: BestLine): boolean {
  return line.word >= WEIGHT.word;
}

function wordScore(searched: SearchableText, { start, end }: Span): number {
  const startsWord = start === 0 || !isWord(searched.codeAt(start - 1)) || !isWordAt(searched, start);
  const endsWord = end === 0 || !isWord(searched.codeAt(end - 1)) || !isWordAt(searched, end);
  if (startsWord && endsWord) return WEIGHT.word;
  return startsWord || endsWord ? WEIGHT.wordStart : 0;
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

/** A file named like what was found is where it lives: `lease.ts`, `LeaseTable.java` for `lease`. */
function fileNameScore(path: string, sample: string): number {
  if (sample.length < 3) return 0;
  const name = basename(path).toLowerCase();
  const wanted = sample.toLowerCase();
  const stem = name.slice(0, name.indexOf('.') > 0 ? name.indexOf('.') : name.length);
  if (stem === wanted || isSameJoined(stem, wanted)) return WEIGHT.fileName;
  return name.includes(wanted) ? WEIGHT.fileNamePart : 0;
}

function isSameJoined(a: string, b: string): boolean {
  return (JOINT.test(a) || JOINT.test(b)) && joined(a) === joined(b);
}

function joined(name: string): string {
  return name.replaceAll(/[_-]/g, '');
}

function pathSignal(path: string, atom: PathAtom): Signal {
  const name = basename(path);
  const span = atom.matcher.first(searchablePath(name), 0);
  if (span === undefined) {
    const inFolder = atom.matcher.first(searchablePath(path), 0) !== undefined;
    return inFolder ? { points: WEIGHT.pathPart, reason: 'path' } : { points: 0 };
  }
  const whole = span.start === 0 && (span.end === name.length || name[span.end] === '.');
  return { points: whole ? WEIGHT.fileName : WEIGHT.fileNamePart, reason: 'file name' };
}

import { basename } from 'node:path/posix';
import { RANK } from '../format/static-rank.ts';
import type { PathAtom, ShownAtoms } from './compile-query.ts';
import type { DocumentText } from './document-matches.ts';
import type { Span } from './matcher.ts';
import { type SearchableText, searchablePath } from './searchable-text.ts';

/** The scale is Zoekt's: a definition and a file name weigh most, then whole words. */
const WEIGHT = {
  definition: 7000,
  fileName: 7000,
  fileNamePart: 2500,
  pathPart: 500,
  word: 500,
  wordStart: 50,
};
/** Tests, documentation and foreign code are looked for less often than the code itself. */
const BY_RANK = { [RANK.source]: 1, [RANK.test]: 0.6, [RANK.docs]: 0.5, [RANK.vendored]: 0.2 } as Record<
  number,
  number
>;
/** Characters before and after a match that are looked at. */
const NEIGHBOURHOOD = 200;

const BEST_LINE = WEIGHT.definition + WEIGHT.word;

/** How well a document answers: for each atom the best of its first `mostLines` lines, and what the path says. */
export function scoreDocument(atoms: ShownAtoms, text: DocumentText, mostLines: number): number {
  const { documents } = text.live.segment;
  const path = text.live.path(text.document);
  let score = 0;
  for (const atom of atoms.content) {
    const best = bestLine(atom, text, mostLines);
    score += best.score + Math.min(best.lines, 10) * 10 + fileNameScore(path, best.sample);
  }
  for (const atom of atoms.path) score += pathScore(path, atom);
  return (score + 1) * BY_RANK[documents.ranks[text.document]!]!;
}

export interface BestLine {
  score: number;
  lines: number;
  /** What was matched there. */
  sample: string;
}

/** The line that speaks most for a document, of its first `mostLines` lines with a match. */
export function bestLine(
  atom: ShownAtoms['content'][number],
  text: DocumentText,
  mostLines: number,
): BestLine {
  const best: BestLine = { score: 0, lines: 0, sample: '' };
  for (const unit of text.unitsOf(atom)) {
    const searched = text.unit(unit);
    for (let from = 0; from <= searched.length(); ) {
      const span = atom.matcher.first(searched, from);
      if (span === undefined) break;
      const score = lineScore(searched, span);
      if (score > best.score || best.lines === 0) {
        best.score = score;
        best.sample = searched.slice(span.start, Math.min(span.end, span.start + NEIGHBOURHOOD));
      }
      if (++best.lines >= mostLines || best.score >= BEST_LINE) return best;
      from = searched.endOfLine(span.end) + 1;
    }
  }
  return best;
}

export function isDefinition(line: BestLine): boolean {
  return line.score >= WEIGHT.definition;
}

export function isWholeWord(line: BestLine): boolean {
  return line.score >= WEIGHT.word;
}

function lineScore(searched: SearchableText, span: Span): number {
  const start = searched.slice(Math.max(0, span.start - 1), span.start + 1);
  const end = searched.slice(Math.max(0, span.end - 1), span.end + 1);
  const startsWord = span.start === 0 || !isWord(start, 0) || !isWord(start, 1);
  const endsWord = span.end === 0 || !isWord(end, 0) || !isWord(end, 1);
  if (!startsWord) return endsWord ? WEIGHT.wordStart : 0;
  const word = endsWord ? WEIGHT.word : WEIGHT.wordStart;
  return endsWord && looksLikeDefinition(searched, span) ? WEIGHT.definition + word : word;
}

function isWord(text: string, index: number): boolean {
  const code = text.charCodeAt(index);
  if (Number.isNaN(code)) return false;
  return (
    (code >= 0x61 && code <= 0x7a) ||
    (code >= 0x41 && code <= 0x5a) ||
    (code >= 0x30 && code <= 0x39) ||
    code === 0x5f ||
    code >= 0x80
  );
}

/** Modifiers and the word before a name that is being defined, in most languages. */
const DEFINING_WORD =
  /^\s*(?:(?:export|default|pub(?:\([^)]*\))?|public|private|protected|internal|static|final|abstract|async|declare|sealed|open|override|unsafe|extern|inline|virtual|data|partial|readonly|local|const|@\w+)\s+)*(?:func(?:\s*\([^)]*\))?|function\s*\*?|def|fn|fun|class|interface|struct|enum|trait|type|typedef|module|mod|namespace|package|record|object|protocol|impl|macro_rules!|#define|const(?:expr)?|let|var|val|static|defmodule|defp|sub|procedure|extension|message|service|rpc)\s+$/;
/** `public async name(args) {`, `int name(args) {`: modifiers before, a parameter list and a block behind. */
const MODIFIERS = /^\s*(?:[\w<>[\],.*&:?]+\s+)*\*?$/;
const BLOCK_FOLLOWS = /^(?:<[^>]*>)?\([^;]*(?:\{|=>|:)\s*$/;
const STATEMENT =
  /^\s*(?:if|for|while|switch|return|catch|else|await|throw|new|do|case|elif|assert|yield|in|not)\b/;

function looksLikeDefinition(searched: SearchableText, span: Span): boolean {
  const lineStart = searched.startOfLine(span.start);
  if (span.start - lineStart > NEIGHBOURHOOD) return false;
  const before = searched.slice(lineStart, span.start);
  if (DEFINING_WORD.test(before)) return true;
  const after = searched.slice(span.end, Math.min(searched.endOfLine(span.end), span.end + NEIGHBOURHOOD));
  if (!after.startsWith('(') && !after.startsWith('<')) return false;
  return BLOCK_FOLLOWS.test(after.trimEnd()) && MODIFIERS.test(before) && !STATEMENT.test(before);
}

/** A file named like what was found is where it lives: `lease.ts`, `LeaseTable.java` for `lease`. */
function fileNameScore(path: string, sample: string): number {
  if (sample.length < 3) return 0;
  const name = basename(path).toLowerCase();
  const wanted = sample.toLowerCase();
  const stem = name.slice(0, name.indexOf('.') > 0 ? name.indexOf('.') : name.length);
  if (stem === wanted || joined(stem) === joined(wanted)) return WEIGHT.fileName;
  return name.includes(wanted) ? WEIGHT.fileNamePart : 0;
}

function joined(name: string): string {
  return name.replaceAll(/[_-]/g, '');
}

function pathScore(path: string, atom: PathAtom): number {
  const name = basename(path);
  const span = atom.matcher.first(searchablePath(name), 0);
  if (span === undefined)
    return atom.matcher.first(searchablePath(path), 0) === undefined ? 0 : WEIGHT.pathPart;
  const whole = span.start === 0 && (span.end === name.length || name[span.end] === '.');
  return whole ? WEIGHT.fileName : WEIGHT.fileNamePart;
}

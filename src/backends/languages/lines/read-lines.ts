import type { LineLanguage } from '../language.ts';
import type { Extent } from '../lexical/lexical-rule.ts';
import { readExtents } from '../lexical/read-extents.ts';
import type { FileSymbol } from '../outline.ts';
import { maxQualifiedName } from '../parse/enclosing.ts';
import type { LineRule } from './line-rule.ts';

/** Maximum length of a line, in characters. Longer lines are data or minified, and are skipped. */
const maxLineLength = 512;

interface Line {
  /** 1-based. */
  readonly number: number;
  readonly indent: number;
  /** Without the blanks around it. */
  readonly text: string;
}

/** A definition, the type that an extension belongs to, or another block, whose lines are being read. */
interface Around {
  /** Indentation of the line that began it. */
  readonly indent: number;
  /** The definition, up to the last line that was read. A block that defines nothing has one, too. */
  readonly symbol: Writable<FileSymbol>;
  /** The rules for the lines directly inside. */
  readonly rules: readonly LineRule[] | undefined;
  /** Minimum indentation of the lines inside that were read. */
  innerIndent: number;
}

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

interface Reading {
  readonly language: LineLanguage;
  readonly around: Around[];
  readonly symbols: Writable<FileSymbol>[];
}

/**
 * Finds the definitions of a text, line by line in order. There is no parser: indentation shows the nesting and where a
 * definition ends. Of several names defined on one line, only the first is found.
 */
export function readLines(language: LineLanguage, text: string): readonly FileSymbol[] {
  const reading: Reading = { language, around: [], symbols: [] };
  const code = withoutComments(text, readExtents(text, language.name));
  for (const [index, written] of code.split('\n').entries()) {
    const line = { number: index + 1, indent: written.search(/\S/), text: written.trim() };
    if (line.text === '') continue;
    closeAt(reading.around, line);
    if (line.text.length <= maxLineLength) readLine(reading, line);
  }
  while (reading.around.length > 0) closeInnermost(reading.around);
  return reading.symbols;
}

/**
 * Returns a text with blanks for its comments and for texts between three quotation marks. Other literals stay: where a
 * quotation mark is misread, blanks would hide the rest of a file.
 */
function withoutComments(text: string, extents: readonly Extent[]): string {
  const parts: string[] = [];
  let at = 0;
  for (const { kind, start, end } of extents) {
    const isLong = kind === 'string' && /^["']{3}/.test(text.slice(start, start + 3));
    if (kind === 'string' && !isLong) continue;
    parts.push(text.slice(at, start), text.slice(start, end).replaceAll(/[^\n]/g, ' '));
    at = end;
  }
  return parts.join('') + text.slice(at);
}

function readLine(reading: Reading, line: Line): void {
  const { language, around } = reading;
  const read = withoutAnnotations(language, line.text);
  const inner = around.at(-1);
  const members = inner?.innerIndent === line.indent ? inner.rules : undefined;
  const isOuter = members !== undefined || line.indent === 0;
  for (const rule of members === undefined ? language.lines : [...language.lines, ...members]) {
    if (rule.place === 'top' ? line.indent > 0 : rule.place === 'outer' && !isOuter) continue;
    const match = rule.pattern.exec(read);
    if (match === null) continue;
    const { kind, inside = kind } = rule;
    return define(reading, line, { ...rule, kind: members === undefined ? kind : inside }, match);
  }
}

const annotationsBefore = /^(?:@(?!interface\b)[\w.]{1,200}(?:\([^()]{0,400}\))?\s+)+/;

/**
 * Returns a line for matching, without its annotations. Adjacent blanks become one space: patterns match blanks in
 * several places, and 400 of them could be distributed among these in thousands of ways.
 */
function withoutAnnotations({ annotations }: LineLanguage, line: string): string {
  const bare = annotations === true ? line.replace(annotationsBefore, '') : line;
  return bare.replaceAll(/\s+/g, ' ');
}

/** Adds the definition of a rule that matches, and lets it enclose the lines that are indented further. */
function define(
  { around, symbols }: Reading,
  { number, indent }: Line,
  { kind, opens }: LineRule,
  match: RegExpExecArray,
): void {
  const { owner, name } = match.groups ?? { owner: undefined, name: match[1] };
  const named = [around.at(-1)?.symbol.qualifiedName, owner, name].filter((part) => part);
  const qualifiedName = named.join('.').replaceAll('::', '.');
  const symbol = { name: name ?? '', kind, line: number, qualifiedName, endLine: number };
  if (name !== undefined) symbols.push(symbol);
  // Without a limit, the names of nested definitions are as long as the square of their number.
  if (qualifiedName.length < maxQualifiedName)
    around.push({ indent, symbol, rules: opens, innerIndent: Number.POSITIVE_INFINITY });
}

/**
 * Closes the blocks and definitions that end at a line: those that began on a line with at least its indentation. A
 * brace, parenthesis or end of type parameters that belongs to the beginning, a preprocessor line, and a label such as
 * `public:` end nothing.
 */
function closeAt(around: Around[], { text, indent, number }: Line): void {
  if (/^[#){>]|^p.*:$/.test(text)) {
    const inner = around.at(-1);
    if (!text.startsWith('#') && inner !== undefined && indent >= inner.indent) inner.symbol.endLine = number;
    return;
  }
  for (let inner = around.at(-1); inner !== undefined && indent <= inner.indent; inner = around.at(-1)) {
    // A brace or `end` at the indentation of a definition is its end.
    if (indent === inner.indent && /^(?:[}\]]|end\b)/i.test(text)) inner.symbol.endLine = number;
    closeInnermost(around);
  }
  const enclosing = around.at(-1);
  if (enclosing === undefined) return;
  enclosing.symbol.endLine = number;
  enclosing.innerIndent = Math.min(enclosing.innerIndent, indent);
}

function closeInnermost(around: Around[]): void {
  const { endLine } = around.pop()!.symbol;
  const outer = around.at(-1);
  if (outer !== undefined) outer.symbol.endLine = Math.max(outer.symbol.endLine, endLine);
}

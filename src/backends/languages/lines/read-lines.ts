import type { FileSymbol, SymbolKind } from '../outline.ts';
import { maxQualifiedName } from '../parse/enclosing.ts';
import type { LineRule, LineRules } from './line-rule.ts';

/** Maximum length of a line, in characters. Longer lines are data or minified, and are skipped. */
const maxLineLength = 512;
/** Maximum processor time per text, in milliseconds: far more than 1 MiB of ordinary text takes. */
const maxTextMs = 250;
/** Number of lines read between two looks at the time. */
const linesPerLook = 16;
/** Maximum depth of nested blocks. */
const maxBlocks = 32;

interface Line {
  /** 1-based. */
  readonly number: number;
  readonly indent: number;
  /** Offsets of the text after the indentation. */
  readonly first: number;
  readonly end: number;
}

/** A definition, the type that an extension belongs to, or another block, whose lines are being read. */
interface Around {
  /** Indentation of the line that began it. */
  readonly indent: number;
  readonly qualifiedName: string | undefined;
  readonly symbol: Writable<FileSymbol> | undefined;
  /** The rules for the lines directly inside. */
  readonly rules: readonly LineRule[] | undefined;
  /** Minimum indentation of the lines inside that were read. */
  innerIndent: number;
  /** The last line that was read inside. */
  last: number;
}

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

interface Reading {
  readonly lines: LineRules;
  readonly text: string;
  readonly around: Around[];
  readonly symbols: Writable<FileSymbol>[];
}

/**
 * Finds the definitions of a text, line by line in order. There is no parser: indentation shows the nesting and where a
 * definition ends. Of several names defined on one line, only the first is found. Patterns are written so that no line
 * takes long. If one does, the reading ends after `milliseconds` of processor time of this thread, and the definitions
 * found before are kept.
 */
export function readLines(lines: LineRules, text: string, milliseconds = maxTextMs): readonly FileSymbol[] {
  const reading: Reading = { lines, text, around: [], symbols: [] };
  const started = process.threadCpuUsage();
  let number = 0;
  // Lines that start before this offset are in a comment or a string.
  let resume = 0;
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf('\n', start);
    const line = lineAt(text, start, newline < 0 ? text.length : newline, ++number);
    const isSkipped = start < resume || line.first === line.end;
    start = newline < 0 ? text.length : newline + 1;
    if (isSkipped) continue;
    resume = endOfComment(reading, line);
    if (resume === 0) readLine(reading, line);
    if (number % linesPerLook !== 0) continue;
    const { user, system } = process.threadCpuUsage(started);
    if (user + system > milliseconds * 1000) break;
  }
  while (reading.around.length > 0) closeInnermost(reading.around);
  return reading.symbols;
}

function lineAt(text: string, start: number, newline: number, number: number): Line {
  let first = start;
  while (first < newline && (text[first] === ' ' || text[first] === '\t')) first++;
  const end = newline > first && text[newline - 1] === '\r' ? newline - 1 : newline;
  return { number, indent: first - start, first, end };
}

/** Returns the offset after a comment that starts on the line and ends on a later one, or 0 if there is none. */
function endOfComment({ lines, text }: Reading, line: Line): number {
  for (const { open, close } of lines.blocks ?? []) {
    if (!text.startsWith(open, line.first)) continue;
    const at = text.indexOf(close, line.first + open.length);
    return at < 0 ? text.length : at >= line.end ? at + close.length : 0;
  }
  return 0;
}

function readLine(reading: Reading, line: Line): void {
  const { lines, text, around } = reading;
  closeAt(reading, line);
  if (line.end - line.first > maxLineLength) return;
  const read = withoutComments(lines, text.slice(line.first, line.end));
  const inner = around.at(-1);
  const members = inner?.innerIndent === line.indent ? inner.rules : undefined;
  const isOuter = members !== undefined || line.indent === 0;
  for (const rule of members === undefined ? lines.rules : [...lines.rules, ...members]) {
    if (rule.place === 'top' ? line.indent > 0 : rule.place === 'outer' && !isOuter) continue;
    const match = rule.pattern.exec(read);
    if (match === null) continue;
    return define(reading, line, rule, match);
  }
}

/**
 * Returns a line for matching, without its comments and annotations. Adjacent blanks become one space: patterns match
 * blanks in several places, and 400 of them could be distributed among these in thousands of ways.
 */
function withoutComments({ blocks, annotations }: LineRules, line: string): string {
  const bare = annotations === true ? line.slice(endOfAnnotations(line)) : line;
  const hasSlashComments = blocks?.some(({ open }) => open === '/*') === true;
  const code = hasSlashComments && bare.includes('/') ? bare.replace(slashComment, ' ') : bare;
  return code.replaceAll(/\s+/g, ' ');
}

/** Comments after a blank. Addresses in strings (`"https://…`) do not match. */
// bounded: at most 512 characters (longer lines are skipped)
const slashComment = /\s\/(?:\/.*|\*.*?(?:\*\/|$))/g;
const annotation = /@(?!interface\b)[\w.]{1,200}(?:\([^()]{0,400}\))?\s+/y;

function endOfAnnotations(line: string): number {
  let end = 0;
  for (annotation.lastIndex = 0; annotation.test(line); ) end = annotation.lastIndex;
  return end;
}

/** Adds the definition of a rule that matches, and lets it enclose the lines that are indented further. */
function define(
  { around, symbols }: Reading,
  { number, indent }: Line,
  rule: LineRule,
  match: RegExpExecArray,
): void {
  const owner = match.groups?.['owner'];
  const name = match.groups === undefined ? match[1] : match.groups['name'];
  const outer = around.at(-1);
  const named = [outer?.qualifiedName, owner, name].filter((part) => part !== undefined);
  const qualifiedName = named.join('.').replaceAll('::', '.');
  const kind = kindIn(outer, indent, rule);
  const symbol =
    name === undefined ? undefined : { name, kind, line: number, qualifiedName, endLine: number };
  if (symbol !== undefined) symbols.push(symbol);
  const isOpen = around.filter((each) => each.rules !== undefined).length < maxBlocks;
  const rules = isOpen ? rule.opens : undefined;
  // Without a limit, the names of nested definitions are as long as the square of their number.
  const isNamed = qualifiedName.length < maxQualifiedName;
  if (!isNamed && rules === undefined) return;
  around.push({
    indent,
    qualifiedName: isNamed && named.length > 0 ? qualifiedName : outer?.qualifiedName,
    symbol: isNamed ? symbol : undefined,
    rules,
    innerIndent: Number.POSITIVE_INFINITY,
    last: number,
  });
}

/** Returns the kind of what a rule defines, which may be another one directly inside of a block. */
function kindIn(outer: Around | undefined, indent: number, { kind, inside = kind }: LineRule): SymbolKind {
  return outer?.rules !== undefined && outer.innerIndent === indent ? inside : kind;
}

/**
 * Closes the blocks and definitions that end at a line: those that began on a line with at least its indentation. A
 * brace, parenthesis or end of type parameters that belongs to the beginning, a comment or preprocessor line, and a
 * label such as `public:` end nothing.
 */
function closeAt({ text, around }: Reading, line: Line): void {
  const letter = text[line.first]!;
  if ('#){>'.includes(letter) || (letter === 'p' && text[line.end - 1] === ':')) {
    const inner = around.at(-1);
    if (letter !== '#' && inner !== undefined && line.indent >= inner.indent) inner.last = line.number;
    return;
  }
  closeDefinitions(around, line, isEnd(text, line.first));
}

function closeDefinitions(around: Around[], { indent, number }: Line, isEndLine: boolean): void {
  for (let inner = around.at(-1); inner !== undefined && indent <= inner.indent; inner = around.at(-1)) {
    if (indent === inner.indent && isEndLine) inner.last = number;
    closeInnermost(around);
  }
  const enclosing = around.at(-1);
  if (enclosing === undefined) return;
  enclosing.last = number;
  enclosing.innerIndent = Math.min(enclosing.innerIndent, indent);
}

/** Returns whether a brace or `end` at the indentation of a definition is its end. */
function isEnd(text: string, first: number): boolean {
  return '}]'.includes(text[first]!) || /^end\b/i.test(text.slice(first, first + 4));
}

function closeInnermost(around: Around[]): void {
  const { symbol, last } = around.pop()!;
  if (symbol !== undefined) symbol.endLine = last;
  const outer = around.at(-1);
  if (outer !== undefined && outer.last < last) outer.last = last;
}

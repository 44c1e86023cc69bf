import { type Extent, isTypeKind, readExtents } from '../../languages/port.ts';
import type { DefinedSymbol, Definition, LineSpan, RankedDefinition } from '../port.ts';

/** A definition, or a block that adds members to a type, whose last line is not known yet. */
interface OpenBlock {
  /** Absent for a block without a definition. */
  readonly place?: Place;
  /** The innermost class or the like that a definition in it is a member of. */
  readonly container: DefinedSymbol | undefined;
  readonly inTests: boolean;
  readonly indent: number;
  /** True once a line at its indentation has opened braces, which a closing one must end. */
  hasBraces: boolean;
}

const opensBraces = /\{\s*$/;
const continues = /(?:[{([:=,]|=>|->|\bwhere)\s*$/;
/** The end of a member in a list of members. */
const endsMember = /^\}\)*,\s*$/;
const closes = /^(?:[)}\]]|end\b)/;
/**
 * Starts of lines that continue a head: braces on their own line, operators, constraints, text in quotes, handlers of
 * Ruby.
 */
const continuesHead = /^(?:[)}\]{>|&=+?:.#]|"""|'''|->|(?:where|rescue|ensure|else)\b)/;
/** Lines of a comment, decorator or attribute. A directive of the C preprocessor is none. */
const attached = /^\s*(?:\/\/|\/\*|\*|#(?!include|define|if|endif|else|import)|@\w|--|;;|%%|\[\w|"""|''')/;
const comment = /^\s*(?:\/\/|\/\*|\*|#(?!!|\[|include|define|if|endif|else|import)|--|;;|%%)/;
const docstring = /^\s*[rRuU]?("""|''')/;
const maxHeadLines = 12;
const testModule = /^(?:__)?tests?(?:__)?$/i;
/** An attribute or annotation of a test: `#[tokio::test]`, `@Test`. */
const marksTest = /^\s*(?:#\[(?:\w+::)*test\b|@(?:\w+\.)?(?:Parameterized|Repeated)?Test\b)/;

/** A text with its comments and literals. */
export interface ReadText {
  readonly lines: readonly string[];
  /** The lines, joined with line feeds. */
  readonly text: string;
  /** The comments and literals of `text`. */
  readonly extents: readonly Extent[];
}

export function readText(lines: readonly string[], language: string): ReadText {
  const text = lines.join('\n');
  return { lines, text, extents: readExtents(text, language) };
}

/**
 * Returns the definitions of a text with the lines that belong to them, judged by indentation and braces: no parser is
 * needed, and a text of any shape takes one pass. `definitions` are in line order.
 */
export function definitionExtents(read: ReadText, definitions: readonly Definition[]): RankedDefinition[] {
  const { lines } = read;
  if (definitions.length === 0) return [];
  const found = readBlocks(lines, definitions, linesInText(read));
  let floor = 0;
  return definitions.map((definition, index) => {
    const startLine = startOfComments(lines, definition.line, floor);
    floor = definition.line;
    const { container, inTests = false, lastLine = 0 } = found[index] ?? {};
    const endLine = Math.max(definition.line, lastLine);
    const doc = docOf(lines, { startLine, line: definition.line, endLine });
    const isTest =
      inTests || lines.slice(startLine - 1, definition.line - 1).some((one) => marksTest.test(one));
    return {
      ...definition,
      startLine,
      endLine,
      ...(doc === undefined ? {} : { doc }),
      ...(container === undefined ? {} : { container }),
      ...(isTest ? { isTest } : {}),
    };
  });
}

/** The last line and the surroundings of a definition, as its blocks show them. */
interface Place {
  lastLine: number;
  readonly container: DefinedSymbol | undefined;
  readonly inTests: boolean;
}

/**
 * Marks the lines, by number, that begin inside of a comment or a text in quotes, where indentation means nothing. A
 * heredoc has whole lines, and the line after it is its end.
 */
function linesInText({ lines, text, extents }: ReadText): Uint8Array {
  const inText = new Uint8Array(lines.length + 1);
  let next = 0;
  let at = 0;
  for (let number = 1; number <= lines.length; number++) {
    while (extents[next] !== undefined && extents[next]!.end < at) next++;
    const extent = extents[next];
    if (extent !== undefined && extent.start <= at) {
      const { start, end } = extent;
      if (text[end - 1] === '\n' || (start < at && end > at)) inText[number] = 1;
    }
    at += lines[number - 1]!.length + 1;
  }
  return inText;
}

function readBlocks(
  lines: readonly string[],
  definitions: readonly Definition[],
  inText: Uint8Array,
): Place[] {
  const places: Place[] = [];
  const open: OpenBlock[] = [];
  let next = 0;
  let lastText = 0;
  lines.forEach((text, at) => {
    const number = at + 1;
    const indent = indentOf(text);
    // A line that defines something is code, whatever the quotes before it look like.
    const isCode = inText[number] === 0 || definitions[next]?.line === number;
    if (indent < text.length) {
      if (isCode && indent <= (open.at(-1)?.indent ?? -1))
        closeBlocks(open, { text: text.trimStart(), indent, number, lastText });
      lastText = number;
    }
    const inTests = open.at(-1)?.inTests ?? false;
    const extended = extendedType(text, indent);
    if (extended !== undefined) {
      const container = { name: extended, kind: 'other' } as const;
      open.push({ container, indent, hasBraces: opensBraces.test(text), inTests });
    }
    for (; definitions[next]?.line === number; next++) {
      const block = blockOf(definitions[next]!, text, open.at(-1)?.container, inTests);
      places.push(block.place);
      open.push({ ...block, indent });
    }
  });
  for (const { place } of open) if (place !== undefined) place.lastLine = lastText;
  return places;
}

/** Returns the block that a definition opens on its line. */
function blockOf(
  { name, kind, line }: Definition,
  text: string,
  outer: DefinedSymbol | undefined,
  inTests: boolean,
): Omit<OpenBlock, 'indent'> & { readonly place: Place } {
  return {
    place: { lastLine: line, container: receiverOf(text) ?? outer, inTests },
    container: isTypeKind(kind) ? { name, kind } : outer,
    hasBraces: opensBraces.test(text),
    inTests: inTests || (kind === 'module' && testModule.test(name)),
  };
}

/** Returns the type that a line of Go names before a method: `func (c *Command) Execute`. */
function receiverOf(line: string): DefinedSymbol | undefined {
  const name = /^func\s*\((?:\w+\s+)?\*?(\w+)/.exec(line)?.[1];
  return name === undefined ? undefined : { name, kind: 'other' };
}

/** Returns the type to which a block of Rust adds members: `Json` of `impl<T> FromRequest for Json<T> {`. */
function extendedType(line: string, indent: number): string | undefined {
  // Nearly all lines are told apart by their beginning, without a pattern.
  if (!line.startsWith('impl', indent) && !line.startsWith('unsafe', indent)) return undefined;
  const [, head] = /^\s*(?:unsafe\s+)?impl\b(.{1,300})/.exec(line) ?? [];
  if (head === undefined) return undefined;
  const plain = withoutGenerics(head);
  // bounded: at most 300 characters (the head is cut)
  const type = / for (.*)$/.exec(plain)?.[1] ?? plain;
  return /^[\s&]*(?:mut |dyn )?(?:\w+::)*([A-Za-z_]\w*)/.exec(type)?.[1];
}

function withoutGenerics(text: string): string {
  let depth = 0;
  let plain = '';
  for (const [at, character] of Array.from(text).entries()) {
    if (character === '<') depth += 1;
    else if (character === '>' && text[at - 1] !== '-') depth -= 1;
    else if (depth === 0) plain += character;
  }
  return plain;
}

/** Removes the blocks that a line ends, and notes their last line. */
function closeBlocks(
  open: OpenBlock[],
  line: {
    readonly text: string;
    readonly indent: number;
    readonly number: number;
    /** Number of the last line with text before it. */
    readonly lastText: number;
  },
): void {
  for (let top = open.at(-1); top !== undefined && line.indent <= top.indent; top = open.at(-1)) {
    const step = stepOf(top, line.text, line.indent);
    if (step === 'stays') return;
    if (top.place !== undefined) top.place.lastLine = step === 'closed' ? line.number : line.lastText;
    open.pop();
  }
}

/** Decides what a line that is not indented further than a definition means for it. */
function stepOf(open: OpenBlock, text: string, indent: number): 'closed' | 'ended' | 'stays' {
  if (indent < open.indent) return 'ended';
  if (closes.test(text) && (!continues.test(text) || (open.hasBraces && endsMember.test(text))))
    return 'closed';
  if (!open.hasBraces && !continuesHead.test(text)) return 'ended';
  open.hasBraces ||= opensBraces.test(text);
  return 'stays';
}

function startOfComments(lines: readonly string[], line: number, floor: number): number {
  let start = line;
  while (start - 1 > floor && attached.test(lines[start - 2] ?? '')) start--;
  return start;
}

/** Returns the comment above a definition, or the text in quotes with which its body starts. */
function docOf(
  lines: readonly string[],
  { startLine, line, endLine }: { startLine: number; line: number; endLine: number },
): LineSpan | undefined {
  let first = startLine;
  while (first < line && !comment.test(lines[first - 1] ?? '')) first++;
  let last = line - 1;
  while (last >= first && !comment.test(lines[last - 1] ?? '')) last--;
  if (first < line && last >= first) return { startLine: first, endLine: last };
  return docstringAfter(lines, line, endLine);
}

function docstringAfter(lines: readonly string[], line: number, endLine: number): LineSpan | undefined {
  const limit = Math.min(endLine, line + maxHeadLines);
  for (let at = line + 1; at <= limit; at++) {
    const text = lines[at - 1] ?? '';
    const quotes = docstring.exec(text)?.[1];
    if (quotes === undefined) continue;
    if (text.indexOf(quotes, text.indexOf(quotes) + 3) >= 0) return { startLine: at, endLine: at };
    for (let end = at + 1; end <= endLine; end++) {
      if (lines[end - 1]?.includes(quotes) === true) return { startLine: at, endLine: end };
    }
    return undefined;
  }
  return undefined;
}

function indentOf(line: string): number {
  const at = line.search(/\S/);
  return at < 0 ? line.length : at;
}

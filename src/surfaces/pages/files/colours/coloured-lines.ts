import { type StringSyntax, type Syntax, syntaxes } from './syntax.ts';

export type Colour = 'comment' | 'keyword' | 'number' | 'string';

/** A part of a line; without a colour it is other text. */
interface ColouredPart {
  readonly text: string;
  readonly colour: Colour | undefined;
}

export type ColouredLine = readonly ColouredPart[];

/** Maximum length of a text that gets colours, in characters, and of one of its lines. */
const limits = { text: 200_000, line: 5_000 } as const;

/**
 * Returns the lines of `text` from the offset `from` on, with the colours of their language. Reads the text once from
 * its start, because a comment or string may begin far above. The time is proportional to the length, whatever the
 * text contains: libraries with a regular expression for each construct take seconds for 24 KB of some texts.
 */
export function colouredLines(language: string, text: string, from: number): readonly ColouredLine[] {
  const syntax = text.length > limits.text ? undefined : syntaxes.get(language);
  const lines: ColouredPart[][] = [[]];
  const add = (start: number, end: number, colour: Colour | undefined): void => {
    if (end <= from) return;
    const [first = '', ...further] = text.slice(Math.max(start, from), end).split('\n');
    if (first !== '') lines.at(-1)?.push({ text: first, colour });
    for (const line of further) lines.push(line === '' ? [] : [{ text: line, colour }]);
  };
  if (syntax === undefined) add(0, text.length, undefined);
  else {
    let at = 0;
    for (const { start, end, colour } of tokensOf(text, syntax)) {
      add(at, start, undefined);
      add(start, end, colour);
      at = end;
    }
    add(at, text.length, undefined);
  }
  return lines.map(plainIfLong);
}

function plainIfLong(line: ColouredLine): ColouredLine {
  const whole = line.map(({ text }) => text).join('');
  return whole.length <= limits.line ? line : [{ text: whole, colour: undefined }];
}

interface Token {
  readonly start: number;
  readonly end: number;
  readonly colour: Colour;
}

// Each repeats one class of characters at most, so that none can backtrack.
const word = /[\w$@#\u{80}-\u{10ffff}]+/uy;
const number = /\d[\w.]*/y;
const tag = /<\/?[\w:-]*/y;
const character = /'(?:\\.[^\n']{0,9}|[^'\\\n])'/uy;
const space = /\s/;

function* tokensOf(text: string, syntax: Syntax): Generator<Token> {
  const starts = new Set(
    [
      ...syntax.lineComments,
      ...syntax.blockComments.map(([open]) => open),
      ...syntax.strings.map(({ open }) => open),
    ].map((open) => open[0] ?? ''),
  );
  for (let start = 0; start < text.length; ) {
    const special = starts.has(text[start] ?? '') ? specialAt(text, start, syntax) : undefined;
    const token = special ?? wordAt(text, start, syntax);
    if (token?.colour !== undefined) yield { start, end: token.end, colour: token.colour };
    start = token?.end ?? start + 1;
  }
}

interface Found {
  readonly end: number;
  readonly colour: Colour | undefined;
}

/** Returns the comment or string that starts here. */
function specialAt(text: string, start: number, syntax: Syntax): Found | undefined {
  for (const [open, close] of syntax.blockComments) {
    if (!text.startsWith(open, start)) continue;
    return { end: after(text, close, start + open.length), colour: 'comment' };
  }
  const isFree = syntax.spacedComments !== true || start === 0 || space.test(text[start - 1] ?? '');
  if (isFree && syntax.lineComments.some((open) => text.startsWith(open, start))) {
    if (wordAt(text, start, syntax)?.colour !== 'keyword')
      return { end: lineEnd(text, start), colour: 'comment' };
  }
  for (const each of syntax.strings) {
    if (!text.startsWith(each.open, start)) continue;
    const end = stringEnd(text, start, each);
    if (end !== undefined) return { end, colour: 'string' };
  }
  return undefined;
}

/** Returns the end of a string; of one line at most unless it may have several. `undefined` if it is none. */
function stringEnd(text: string, start: number, syntax: StringSyntax): number | undefined {
  const { open, close = open, escapes = true, multiline = false, single = false } = syntax;
  if (single) return matchEnd(character, text, start);
  for (let at = start + open.length; at < text.length; at += 1) {
    if (text[at] === '\\' && escapes) at += 1;
    else if (text.startsWith(close, at)) return at + close.length;
    else if (text[at] === '\n' && !multiline) return at;
  }
  return text.length;
}

/** Returns the word, number or tag that starts here. */
function wordAt(text: string, start: number, syntax: Syntax): Found | undefined {
  if (syntax.tags === true) {
    const end = matchEnd(tag, text, start);
    if (end !== undefined) return { end, colour: 'keyword' };
  }
  const digits = matchEnd(number, text, start);
  if (digits !== undefined) return { end: digits, colour: syntax.tags === true ? undefined : 'number' };
  const end = matchEnd(word, text, start);
  if (end === undefined) return undefined;
  const found = text.slice(start, end);
  const known = syntax.keywords.has(syntax.ignoresCase === true ? found.toLowerCase() : found);
  return { end, colour: known ? 'keyword' : undefined };
}

function matchEnd(pattern: RegExp, text: string, start: number): number | undefined {
  pattern.lastIndex = start;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

function after(text: string, close: string, from: number): number {
  const at = text.indexOf(close, from);
  return at < 0 ? text.length : at + close.length;
}

function lineEnd(text: string, from: number): number {
  const at = text.indexOf('\n', from);
  return at < 0 ? text.length : at;
}

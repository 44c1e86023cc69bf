import { withoutEnd } from '../../../../foundation/kernel/text/cut-text.ts';
import { visibleText } from '../../../../foundation/kernel/text/visible-text.ts';
import type { IssuedSources } from '../issued-sources.ts';
import { citeAddress, cleanCode, cleanWord } from './clean-word.ts';

/** A cleaned piece, and how many characters it stands for. */
interface Taken {
  readonly text: string;
  readonly length: number;
  /** True for markup that was removed: what stands around it must not become one word. */
  readonly removed?: boolean;
}

/**
 * Maximum lengths of a label, of inline code, of a destination or tag and of a word, in characters; number of brackets
 * around a link or citation, beyond which they are shown as they are; and of citations in one pair of brackets.
 */
const max = { label: 600, code: 600, target: 2000, word: 400, depth: 8, ids: 20 } as const;

/**
 * Cleans the Markdown of a language model while it arrives, a line at a time. Citations of issued sources get their
 * number in the answer, others are removed. Links keep only their text, or become the citation of their source; images
 * and HTML are removed; code blocks become lines of inline code. Markup that does not end on its line is escaped.
 */
export class AnswerCleaner {
  readonly #sources: IssuedSources;
  /** The line that is not complete. */
  #line = '';
  /** The code block that is open, by its fence. */
  #fence: string | undefined;
  /** True from the line under the head of a table to the next empty line. */
  #isTable = false;
  /** True if the last line has bars in code. */
  #hasBars = false;

  constructor(sources: IssuedSources) {
    this.#sources = sources;
  }

  /** Returns the lines that another piece of the text completes. */
  push(piece: string): string {
    const end = piece.lastIndexOf('\n') + 1;
    if (end === 0) {
      this.#line += piece;
      return '';
    }
    const lines = this.#line + piece.slice(0, end - 1);
    this.#line = piece.slice(end);
    return this.#clean(lines, '\n');
  }

  /** Returns the last line, and resets the cleaner for the next turn. */
  end(): string {
    const rest = this.#clean(this.#line, '');
    this.#line = '';
    this.#fence = undefined;
    this.#isTable = false;
    this.#hasBars = false;
    return rest;
  }

  #clean(text: string, end: string): string {
    // A backslash before these characters only hides an address.
    const visible = visibleText(text).replaceAll(/\\(?=[./:@&-])/gu, '');
    const lines = visible.split('\n');
    return lines.map((line, at) => this.#cleanLine(line, at === lines.length - 1 ? end : '\n')).join('');
  }

  #cleanLine(line: string, end: string): string {
    if (this.#fence !== undefined) {
      if (!line.trim().startsWith(this.#fence))
        return `${this.#cleanRow(cleanCode(line, this.#sources))}${end}`;
      this.#fence = undefined;
      return '';
    }
    this.#fence = /^[ \t]*(`{3,}|~{3,})(?![`~])/u.exec(line)?.[1];
    return this.#fence === undefined ? `${this.#cleanRow(cleanInline(line, this.#sources))}${end}` : '';
  }

  /** Keeps code in a table whole: a bar ends a cell, and the code in it, unless it is escaped. */
  #cleanRow(line: string): string {
    const row = line.replaceAll(/\\.|`[^`]*`/gsu, (part) => (part.startsWith('`') ? escapeBars(part) : part));
    const hadBars = this.#hasBars;
    this.#hasBars = row !== line;
    if (/^[ \t]*$/u.test(line)) this.#isTable = false;
    else if (!this.#isTable && underHead.test(line)) {
      // The head was shown already.
      if (hadBars) return line.replace('-', '\\-');
      this.#isTable = true;
    }
    return this.#isTable ? row : line;
  }
}

/** Matches the line under the head of a table, also in a list or a quotation. */
const underHead = /^(?=[^-]*-)(?=[^|:]*[|:])[\s>*+\d.)|:-]*$/u;

function escapeBars(code: string): string {
  const [last = '', ...others] = code.split('|').toReversed();
  return [...others.toReversed().map((part) => withoutEnd(part, '\\')), last].join('\\|');
}

/** Cleans the text of one line or label. */
function cleanInline(text: string, sources: IssuedSources, depth = 0): string {
  const reader = { text, sources, depth, spans: spansOf(text) };
  let shown = '';
  let space = '';
  let hasGap = false;
  let hasLetters = false;
  let last = '';
  for (let at = 0; at < text.length; ) {
    const char = text[at]!;
    if (char === ' ' || char === '\t') {
      space += char;
      at += 1;
      continue;
    }
    const taken = takeMarkup(reader, at) ?? takeWord(reader, at);
    at += taken.length;
    if (taken.removed === true && space === '') hasGap = true;
    if (taken.text === '') {
      if (taken.removed === true) space = '';
      continue;
    }
    const needsGap =
      space === '' && ((hasGap && wouldJoin(last, taken.text)) || wouldLink(last, taken.text, hasLetters));
    shown += `${needsGap ? ' ' : space}${taken.text}`;
    last = taken.text;
    space = '';
    hasGap = false;
    hasLetters ||= /\p{L}/u.test(taken.text);
  }
  return shown + space;
}

/** Returns whether two texts would become one word, or an address. */
function wouldJoin(before: string, after: string): boolean {
  return /\S$/u.test(before) && /^(?:\p{L}|\p{N}|[./:@_&#-]\S)/u.test(after);
}

/** Returns whether a citation would become a link, or at the start of a line the address of one. */
function wouldLink(before: string, after: string, hasLetters: boolean): boolean {
  const isCitation = before.endsWith(']') && !before.endsWith('\\]');
  return isCitation && (after.startsWith('(') || (after.startsWith(':') && !hasLetters));
}

/** A text with the ends of its brackets and its runs of backticks. */
interface Reader {
  readonly text: string;
  readonly sources: IssuedSources;
  readonly depth: number;
  readonly spans: Spans;
}

interface Spans {
  /** The indexes of closing brackets by those of opening ones. */
  readonly brackets: ReadonlyMap<number, number>;
  /** The indexes of runs of backticks by their length, the last first. */
  readonly runs: ReadonlyMap<number, number[]>;
}

/** Finds brackets and backticks in one pass, however many are open. Escaped brackets do not count. */
function spansOf(text: string): Spans {
  const brackets = new Map<number, number>();
  const open: Readonly<Record<string, number[]>> = { ']': [], ')': [] };
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!;
    if (char === '\\') at += 1;
    else if (char === '[') open[']']!.push(at);
    else if (char === '(') open[')']!.push(at);
    else if (char === ']' || char === ')') {
      const start = open[char]!.pop();
      if (start !== undefined) brackets.set(start, at);
    }
  }
  const runs = Map.groupBy([...text.matchAll(/`+/gu)].toReversed(), ([run]) => run.length);
  return {
    brackets,
    runs: new Map([...runs].map(([length, all]) => [length, all.map(({ index }) => index)])),
  };
}

/** Reads a construct that starts with a special character; `undefined` for a word. */
function takeMarkup(reader: Reader, at: number): Taken | undefined {
  const { text } = reader;
  const [char, next = ''] = [text[at]!, text[at + 1]];
  if (char === '`') return takeCode(reader, at);
  if (char === '[' || (char === '!' && next === '[')) return takeBracket(reader, at);
  if (char === '<') return /[a-z/!?]/iu.test(next) ? takeTag(reader, at) : escape(char);
  // A backslash that still stands before one of these was written as an escaped backslash.
  if (char === '\\' && /^[!-/:-@[-`{-~]$/u.test(next) && !/^[./:@&-]$/u.test(next))
    return { text: char + next, length: 2 };
  if (char === '\\' || char === ']') return escape(char);
  return char === '!' ? { text: char, length: 1 } : undefined;
}

function takeWord({ text, sources }: Reader, at: number): Taken {
  const [word = ''] = /^[^\s\\`![\]<]{1,400}/u.exec(text.slice(at, at + 2 * max.word)) ?? [];
  if (word === '') return { text: text[at]!, length: 1 };
  return { text: `${cleanWord(word, sources)}${word.length >= max.word ? ' ' : ''}`, length: word.length };
}

function takeCode({ text, sources, spans }: Reader, at: number): Taken {
  let from = at;
  while (text[from] === '`') from += 1;
  const run = from - at;
  const closing = spans.runs.get(run) ?? [];
  while (closing.length > 0 && closing.at(-1)! < from) closing.pop();
  const end = closing.at(-1) ?? Number.POSITIVE_INFINITY;
  if (end - at > max.code) return { text: '\\`'.repeat(run), length: run };
  return { text: cleanCode(text.slice(from, end), sources), length: end + run - at };
}

/** Reads a citation, a link, an image or a text in brackets. */
function takeBracket(reader: Reader, at: number): Taken {
  const { text, sources, depth, spans } = reader;
  const isImage = text[at] === '!';
  const from = isImage ? at + 1 : at;
  const end = spans.brackets.get(from) ?? Number.POSITIVE_INFINITY;
  if (end - from > max.label || depth >= max.depth)
    return { text: `${text.slice(at, from)}\\[`, length: from + 1 - at };
  const label = text.slice(from + 1, end);
  const closing = text[end + 1] === '(' ? spans.brackets.get(end + 1) : undefined;
  const close = closing === undefined || closing - end > max.target ? undefined : closing;
  const length = (close ?? end) + 1 - at;
  if (isImage) return { text: '', length, removed: true };
  const ids = readIds(label);
  if (ids !== undefined) return takeCitation(ids, sources, length);
  const shown = cleanInline(label, sources, depth + 1);
  if (close === undefined) return { text: `\\[${shown}\\]`, length };
  const cited = citeDestination(text.slice(end + 2, close), sources);
  return { text: cited === undefined ? shown : `${shown} ${cited}`, length, removed: true };
}

/** Returns the citation of the destination of a link; `undefined` if it is no issued source. */
function citeDestination(destination: string, sources: IssuedSources): string | undefined {
  const [target = ''] = destination.trim().split(/\s/u);
  const cited = citeAddress(target.replaceAll(/^<|>$/gu, ''), sources);
  return cited.startsWith('[') ? cited : undefined;
}

function takeCitation(ids: readonly number[], sources: IssuedSources, length: number): Taken {
  const numbers = [...new Set(ids.flatMap((id) => sources.cite(id) ?? []))];
  if (numbers.length === 0) return { text: '', length, removed: true };
  return { text: numbers.map((n) => `[${n}]`).join(''), length };
}

/** Reads the numbers of a citation such as `3`, `1, 4` or `2-5`; `undefined` for another text. */
function readIds(label: string): readonly number[] | undefined {
  const text = label.replaceAll(/[\s^]/gu, '');
  if (!/^\d{1,4}(?:[-–,;]\d{1,4}){0,20}$/u.test(text)) return undefined;
  const ids = text.split(/[,;]/u).flatMap((part) => {
    const [first = 0, last = first] = part.split(/[-–]/u).map(Number);
    const length = Math.min(Math.max(last - first + 1, 1), max.ids);
    return Array.from({ length }, (_, index) => first + index);
  });
  return ids.slice(0, max.ids);
}

/** Reads a tag, a comment or an address in angle brackets. */
function takeTag({ text, sources }: Reader, at: number): Taken {
  const near = text.slice(at + 1, at + max.target);
  // A search for one character is much faster, and most texts without an end have no `>` at all.
  if (!near.includes('>')) return escape('<');
  const comment = near.startsWith('!--') ? near.indexOf('-->') : undefined;
  const end = comment === undefined ? endOfAttributes(near) : comment < 0 ? -1 : comment + 2;
  if (end < 0) return escape('<');
  const inner = near.slice(0, end);
  const length = end + 2;
  return /^[a-z][a-z0-9+.-]{1,31}:[^\s<>]*$/iu.test(inner)
    ? { text: citeAddress(inner, sources), length }
    : { text: '', length, removed: true };
}

/** Returns the index of the first `>` that is in no quoted value of an attribute; -1 if there is none. */
function endOfAttributes(near: string): number {
  let quote = '';
  for (let at = 0; at < near.length; at++) {
    const char = near[at]!;
    if (quote !== '') quote = char === quote ? '' : quote;
    else if (char === '>') return at;
    else if ((char === '"' || char === "'") && near[at - 1] === '=') quote = char;
  }
  return -1;
}

function escape(char: string): Taken {
  return { text: `\\${char}`, length: 1 };
}

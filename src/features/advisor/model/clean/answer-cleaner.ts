import { withoutEnd } from '../../../../foundation/kernel/text/cut-text.ts';
import { visibleText } from '../../../../foundation/kernel/text/visible-text.ts';
import type { IssuedSources } from '../issued-sources.ts';
import { citeAddress, cleanCode, cleanWord } from './clean-word.ts';

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
    const end = piece.lastIndexOf('\n');
    if (end === -1) {
      this.#line += piece;
      return '';
    }
    const lines = `${this.#line}${piece.slice(0, end)}`.split('\n');
    this.#line = piece.slice(end + 1);
    return lines.map((line) => this.#cleanLine(line, '\n')).join('');
  }

  /** Returns the last line. */
  end(): string {
    return this.#cleanLine(this.#line, '');
  }

  #cleanLine(text: string, end: string): string {
    // A backslash before these characters only hides an address.
    const line = visibleText(text).replaceAll(/\\(?=[./:@&-])/gu, '');
    const isInCode = this.#fence !== undefined;
    if (this.#fence === undefined) this.#fence = /^[ \t]*(`{3,}|~{3,})(?![`~])/u.exec(line)?.[1];
    else if (line.trim().startsWith(this.#fence)) this.#fence = undefined;
    const isFence = isInCode !== (this.#fence !== undefined);
    if (isFence) return '';
    const cleaned = isInCode ? cleanCode(line, this.#sources) : joinedPieces(piecesOf(line, this.#sources));
    return `${this.#cleanRow(cleaned)}${end}`;
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

/** Maximum length of a word, in characters, and number of citations in one pair of brackets. */
const max = { word: 400, ids: 20 } as const;

/**
 * The constructs of Markdown on one line, and words between them. Each of them is bounded, or ends at the latest where
 * the next one begins, so that a text of constructs without an end takes no longer than another one.
 */
const construct = new RegExp(
  [
    String.raw`[ \t]+`,
    '(?<ticks>`+)(?!`)(?:(?<code>.{1,600}?)(?<!`)\\k<ticks>(?!`))?',
    // A citation, an image without markup in its label, and the end of a label, which a destination may follow.
    String.raw`(?:\[(?<ids>[\s^]*\d{1,4}(?:[\s^]*[-–,;][\s^]*\d{1,4}){0,20}[\s^]*)\]|(?<image>!\[[^[\]]*\])|(?<close>\]))(?:\((?<target>(?:[^()\\]|\\.|\([^()]*\)){0,2000})\))?`,
    String.raw`(?<open>\[)`,
    String.raw`<(?<tag>!--[^<]{0,2000}?--|[a-z/!?](?:[^<>"']|"[^"]*"|'[^']*'){0,2000})>`,
    // An escape. Those before `.`, `/`, `:`, `@`, `&` and `-` were removed, so a backslash there stands for itself.
    String.raw`\\[!-%'-,;-?[-${'`'}{-~]`,
    String.raw`(?<word>[^\s\\${'`'}![\]<]{1,${max.word}})`,
    '.',
  ].join('|'),
  'gisu',
);

/** Cleans a line, as pieces of text. An empty piece stands for markup that was removed. */
function piecesOf(line: string, sources: IssuedSources): readonly string[] {
  const pieces: string[] = [];
  const opened: number[] = [];
  for (const { 0: all, groups = {} } of line.matchAll(construct)) {
    const { open, close, target } = groups;
    if (open !== undefined) opened.push(pieces.push('\\[') - 1);
    else if (close === undefined) pieces.push(pieceOf(all, groups, sources));
    else {
      const at = opened.pop();
      // The label of a link is shown without its brackets.
      if (at !== undefined && target !== undefined) pieces[at] = '';
      pieces.push(...closing({ isOpen: at !== undefined, target }, sources));
    }
  }
  return pieces;
}

/** Cleans a word or a construct other than a bracket. */
function pieceOf(
  all: string,
  { ticks, code, ids, image, tag, word }: Readonly<Record<string, string | undefined>>,
  sources: IssuedSources,
): string {
  if (code !== undefined) return cleanCode(code, sources);
  if (ticks !== undefined) return '\\`'.repeat(ticks.length);
  if (ids !== undefined) return citationOf(ids, sources);
  if (image !== undefined) return '';
  if (tag !== undefined) return isAddress.test(tag) ? citeAddress(tag, sources) : '';
  if (word !== undefined) return `${cleanWord(word, sources)}${word.length < max.word ? '' : ' '}`;
  return all === '\\' || all === '<' ? `\\${all}` : all;
}

/** Returns what stands for the end of a label and the destination after it. */
function closing(
  { isOpen, target }: { readonly isOpen: boolean; readonly target: string | undefined },
  sources: IssuedSources,
): readonly string[] {
  if (target === undefined) return ['\\]'];
  return isOpen ? ['', ...citedDestination(target, sources)] : ['\\]', ...piecesOf(`(${target})`, sources)];
}

/** Matches an address in angle brackets, which is a link. */
const isAddress = /^[a-z][a-z0-9+.-]{1,31}:[^\s<>]*$/iu;

/** Returns the numbers of the sources that a citation such as `3`, `1, 4` or `2-5` names. */
function citationOf(ids: string, sources: IssuedSources): string {
  const named = ids.split(/[,;]/u).flatMap((part) => {
    const [first = 0, last = first] = part.replaceAll('^', '').split(/[-–]/u).map(Number);
    const length = Math.min(Math.max(last - first + 1, 1), max.ids);
    return Array.from({ length }, (_, index) => first + index);
  });
  const numbers = new Set(named.slice(0, max.ids).flatMap((id) => sources.cite(id) ?? []));
  return [...numbers].map((n) => `[${n}]`).join('');
}

/** Returns the citation of the destination of a link; none if it is no issued source. */
function citedDestination(destination: string, sources: IssuedSources): readonly string[] {
  const [target = ''] = destination.trim().split(/\s/u);
  const cited = citeAddress(target.replaceAll(/^<|>$/gu, ''), sources);
  return cited.startsWith('[') ? [' ', cited] : [];
}

/** Joins cleaned pieces. What stood around removed markup stays apart, and no citation becomes a link. */
function joinedPieces(pieces: readonly string[]): string {
  let shown = '';
  let last = '';
  let space = '';
  let isCut = false;
  let hasLetters = false;
  for (const piece of pieces) {
    if (piece === '') isCut = true;
    else if (piece.trim() === '') space += isCut && space !== '' ? '' : piece;
    else {
      const needsGap = (isCut && wouldJoin(last, piece)) || wouldLink(last, piece, hasLetters);
      shown += `${space === '' && needsGap ? ' ' : space}${piece}`;
      hasLetters ||= /\p{L}/u.test(piece);
      [last, space, isCut] = [piece, '', false];
    }
  }
  return isCut ? shown : shown + space;
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

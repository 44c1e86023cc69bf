import { withoutEnd, withoutStart } from '../../../foundation/kernel/text/cut-text.ts';
import { visibleText } from '../../../foundation/kernel/text/visible-text.ts';
import { inlineCode, linkable } from '../text/markdown.ts';
import type { IssuedSources } from './issued-sources.ts';

/**
 * Cleans the Markdown of a language model while it arrives, a line at a time. Citations of issued sources get their
 * number in the answer, others are removed. An address becomes the citation of its source or is removed; what a client
 * could make a link becomes inline code. Brackets, HTML and tables are shown as text; code blocks become lines of
 * inline code.
 */
export class AnswerCleaner {
  readonly #sources: IssuedSources;
  /** The line that is not complete. */
  #line = '';
  /** The code block that is open, by its fence. */
  #fence: string | undefined;

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
    const line = visibleText(text);
    const mark = this.#fence;
    if (mark === undefined) {
      this.#fence = fence.exec(line)?.[1];
      return this.#fence === undefined ? `${cleanText(line, this.#sources)}${end}` : '';
    }
    const closes = line.trim().startsWith(mark) && withoutEnd(line.trim(), mark[0]!) === '';
    if (closes) this.#fence = undefined;
    return closes ? '' : `${cleanCode(line, this.#sources)}${end}`;
  }
}

/** Matches the first line of a code block. One with further backticks is a line of text with code. */
const fence = /^[ \t]*(`{3,}(?=[^`]*$)|~{3,})/u;
/** Code or what begins as such, a citation such as `[3]`, `[1, 4]` or `[2-5]`, and a word. */
const pieces = /(`+)(?!`)(?:(.{1,600}?)(?<!`)\1(?!`))?|\[([\s^]*\d[\d\s,;^–-]{0,80})\]|\[|[^\s`[]+/gsu;
/** Matches the line under the head of a table: a bar in the code of a table would end that code. */
const underHead = /^(?=[^-]*-)(?=[^|:]*[|:])[\s>*+\d.)|:-]*$/u;

function cleanText(line: string, sources: IssuedSources): string {
  const shown = line.replaceAll(pieces, (all, ticks?: string, code?: string, ids?: string, at = 0) => {
    if (code !== undefined) return cleanCode(code, sources) || ' ';
    if (ticks !== undefined) return '\\`'.repeat(ticks.length);
    if (ids === undefined) return cleanWord(all, sources);
    const numbers = new Set(idsIn(ids).flatMap((id) => sources.cite(id) ?? []));
    // A space in place of a removed citation keeps the words around it apart.
    return numbers.size === 0 ? ' ' : cited([...numbers], line[at + all.length]);
  });
  return underHead.test(shown) ? shown.replace('-', '\\-') : shown;
}

/** Writes citations. A bracket or colon after one would make it a link, or say where its links lead. */
function cited(numbers: readonly number[], next = ''): string {
  const isLink = next !== '' && '(:\\'.includes(next);
  return `${numbers.map((n) => `[${n}]`).join('')}${isLink ? ' ' : ''}`;
}

/** Maximum number of citations in one pair of brackets. */
const maxIds = 20;

/** Returns the numbers of sources in the text of a citation. */
function idsIn(text: string): readonly number[] {
  const ranges = text.replaceAll('^', '').matchAll(/(\d+)(?:\s*[-–]\s*(\d+))?/gu);
  const ids = Array.from(ranges, ([, first = '', last = first]) => {
    const length = Math.min(Math.max(Number(last) - Number(first) + 1, 1), maxIds);
    return Array.from({ length }, (_, index) => Number(first) + index);
  });
  return ids.flat().slice(0, maxIds);
}

/**
 * Matches a possible link. Markdown also links an address that follows `_`, `*` or `~`, so no word boundary is
 * required. Browsers read `https:/host` and `https:host` like `https://host`.
 */
const address =
  /(?:[a-z][a-z0-9+.-]{0,20}:\/\/|(?<![a-z])(?:https?|ftps?|wss?):[/\\]*(?=[^\s/\\])|www\.|(?<![a-z0-9:/])\/\/[\w-]+\.)\S*/giu;
const closing = `.,;:!?)]}'"*_~>`;
const opening = `*_~("'<[{`;
const removedLink = 'link removed';
/** Cleans a word: an address becomes the citation of its source or is removed, what may be one becomes code. */
function cleanWord(raw: string, sources: IssuedSources): string {
  // A backslash before punctuation only hides what it means.
  const word = withoutEnd(raw.replaceAll(/\\(?=[!-/:-@[-`{-~])/gu, ''), '\\');
  const at = word.search(address);
  if (at >= 0) {
    const target = withoutEnd(word.slice(at), closing);
    const end = word.slice(at + target.length);
    const n = sources.cite(sources.withAddress(target) ?? 0);
    const link = n === undefined ? inlineCode(removedLink) : cited([n], end[0]);
    return `${cleanWord(word.slice(0, at), sources)}${link}${escaped(end)}`;
  }
  const inner = withoutEnd(word, closing);
  const begin = inner.length - withoutStart(inner, opening).length;
  return linkable.test(inner.slice(begin))
    ? `${escaped(inner.slice(0, begin))}${inlineCode(inner.slice(begin))}${escaped(word.slice(inner.length))}`
    : escaped(word);
}

/** Escapes what begins a link, HTML or another way to write a character of markup. */
function escaped(text: string): string {
  return text.replaceAll(/[\\`[\]<&]/gu, String.raw`\$&`);
}

/** Formats inline code. An address in it stays only if a source contains it: it is then a quotation. */
function cleanCode(text: string, sources: IssuedSources): string {
  const kept = text.replaceAll(address, (found) => {
    const end = found.slice(withoutEnd(found, closing).length);
    return sources.contain(withoutEnd(found, closing)) ? found : `${removedLink}${end}`;
  });
  return kept.trim() === '' ? '' : inlineCode(kept);
}

import { withoutEnd, withoutStart } from '../../../foundation/kernel/text/cut-text.ts';
import { visibleText } from '../../../foundation/kernel/text/visible-text.ts';
import { inlineCode, linkable } from '../text/markdown.ts';
import type { IssuedSources } from './issued-sources.ts';

/**
 * Cleans the Markdown of a language model, line by line. Citations of issued sources get their number in the answer,
 * others are removed. An address stays only if a source has it. A word that a client could read as a link or HTML
 * becomes inline code, and so does each line of a code block; tables are shown as text.
 */
export class AnswerCleaner {
  readonly #sources: IssuedSources;
  #isInBlock = false;

  constructor(sources: IssuedSources) {
    this.#sources = sources;
  }

  clean(text: string): string {
    const line = visibleText(text);
    if (!(this.#isInBlock ? endOfBlock : startOfBlock).test(line))
      return this.#isInBlock ? cleanCode(line, this.#sources) : cleanText(line, this.#sources);
    this.#isInBlock = !this.#isInBlock;
    return '';
  }
}

/** Matches the first line of a code block. One with further backticks is a line of text with code. */
const startOfBlock = /^[ \t]*(?:`{3,}[^`]*|~{3}.*)$/u;
const endOfBlock = /^[ \t]*(?:`{3,}|~{3,})[ \t]*$/u;
/** Maximum number of citations in one pair of brackets. */
const maxIds = 20;
/** A citation such as `[3]`, `[1, 4]` or `[2-5]`, whose ends count, or a word with the code in it. */
const pieces =
  /\[([\s^]{0,4}\d[\d\s,;^–-]{0,80})\]|(?:(?<!`)(`+)(?!`).{1,600}?(?<!`)\2(?!`)|[^\s[]|\[(?![\s^]{0,4}\d[\d\s,;^–-]{0,80}\]))+/gsu;
/** Matches the line under the head of a table: a bar in the code of a table would end that code. */
const underHead = /^(?=[^-]*-)(?=[^|:]*[|:])[\s>*+\d.)|:-]*$/u;

function cleanText(line: string, sources: IssuedSources): string {
  const shown = line.replaceAll(pieces, (all, ids?: string, _ticks?: string, at = 0) => {
    if (ids === undefined) return cleanWord(all, sources);
    const cited = (ids.match(/\d+/gu) ?? []).slice(0, maxIds).flatMap((id) => sources.cite(Number(id)) ?? []);
    const numbers = new Set(cited);
    // A bracket or colon after a citation would make it a link, or say where its links lead.
    const isLink = '(:'.includes(line[at + all.length] ?? ' ');
    // A space in place of what is removed keeps the words around it apart.
    return `${[...numbers].map((n) => `[${n}]`).join('')}${isLink || numbers.size === 0 ? ' ' : ''}`;
  });
  return underHead.test(shown) ? shown.replace('-', '\\-') : shown;
}

/**
 * Matches a possible link. Markdown also links an address that follows `_`, `*` or `~`, so no word boundary is
 * required. Browsers read `https:/host` and `https:host` like `https://host`.
 */
const address =
  /(?:[a-z][a-z0-9+.-]{0,20}:\/\/|(?<![a-z])(?:https?|ftps?|wss?):[/\\]*(?=[^\s/\\])|www\.|(?<![a-z0-9:/])\/\/[\w-]+\.)\S*/giu;
/** Matches what begins a link, HTML or another way to write a character of them. */
const markup = /[\\`[\]<&]/u;
const closing = `.,;:!?)'"*_~`;
const opening = `*_~("'`;

/** Writes a word as it is, or as inline code without the punctuation and emphasis around it. */
function cleanWord(word: string, sources: IssuedSources): string {
  const inner = withoutEnd(word, closing);
  const code = withoutStart(inner, opening);
  if (!markup.test(word) && !linkable.test(code) && code.search(address) < 0) return word;
  const begin = inner.slice(0, inner.length - code.length);
  // Some clients take a backslash before the end of code for an escape.
  const plain = withoutEnd(code.replaceAll('`', ''), '\\');
  return `${begin}${cleanCode(plain, sources)}${word.slice(inner.length)}`;
}

/** Formats inline code. An address in it stays only if a source contains it: it is then a quotation. */
function cleanCode(text: string, sources: IssuedSources): string {
  const kept = text.replaceAll(address, (found) => {
    const target = withoutEnd(found, `${closing}]}>`);
    return sources.contain(target) ? found : `link removed${found.slice(target.length)}`;
  });
  return kept.trim() === '' ? ' ' : inlineCode(kept);
}

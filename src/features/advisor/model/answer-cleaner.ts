import { withoutEnd } from '../../../foundation/kernel/text/cut-text.ts';
import { visibleText } from '../../../foundation/kernel/text/visible-text.ts';
import { inlineCode } from '../text/markdown.ts';
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
    const isInCode = this.#fence !== undefined;
    if (this.#fence === undefined) this.#fence = /^[ \t]*(`{3,}|~{3,})(?![`~])/u.exec(line)?.[1];
    else if (line.trim().startsWith(this.#fence)) this.#fence = undefined;
    const isFence = isInCode !== (this.#fence !== undefined);
    if (isFence) return '';
    return `${isInCode ? cleanCode(line, this.#sources) : cleanText(line, this.#sources)}${end}`;
  }
}

/** Code, a link or image, and a citation such as `[3]`, `[1, 4]` or `[2-5]`. */
const references =
  /(`+)(?!`)(?:.{1,600}?(?<!`)\1(?!`))?|!?\[([^[\]]*)\]\(([^()\s]*)\)|\[([\s^]*\d[\d\s,;^–-]{0,80})\]/gsu;
/** Code or what begins as such, a citation that was read, and a word. */
const pieces = /(`+)(?!`)(?:(.{1,600}?)(?<!`)\1(?!`))?|\0(\d+)\0|[^\s`\0]+/gsu;
/** Matches the line under the head of a table: a bar in the code of a table would end that code. */
const underHead = /^(?=[^-]*-)(?=[^|:]*[|:])[\s>*+\d.)|:-]*$/u;

/**
 * Cleans a line. Its citations are replaced first, by marks that no visible text has, so that the words around one that
 * was removed are read as one word.
 */
function cleanText(line: string, sources: IssuedSources): string {
  const cited = line.replaceAll(references, (all, ticks?: string, label?: string, target = '', ids = '') => {
    if (ticks !== undefined) return all;
    return label === undefined ? marksOf(ids, sources) : `${label} ${target}`;
  });
  const cleaned = cited.replaceAll(pieces, (all, ticks?: string, code?: string, n?: string, at = 0) => {
    if (code !== undefined) return cleanCode(code, sources) || ' ';
    if (ticks !== undefined) return '\\`'.repeat(ticks.length);
    if (n === undefined) return cleanWord(all, sources);
    // A bracket after a citation would make it a link.
    return `[${n}]${isBracketAt(cited, at + all.length) ? ' ' : ''}`;
  });
  // A citation with a colon at the start of a line would say where all of its links lead.
  const shown = cleaned.replace(/^(\P{L}*?\[\d+\]):/u, '$1 :');
  return underHead.test(shown) ? shown.replace('-', '\\-') : shown;
}

/** Returns whether a bracket is at a place, or after backslashes there, which `cleanWord` removes. */
function isBracketAt(text: string, place: number): boolean {
  let at = place;
  while (text[at] === '\\') at += 1;
  return text[at] === '(';
}

/** Maximum number of citations in one pair of brackets. */
const maxIds = 20;

/** Returns marks of the sources that the text of a citation names. */
function marksOf(ids: string, sources: IssuedSources): string {
  const named = ids.split(/[,;]/u).flatMap((part) => {
    const [first = 0, last = first] = part.replaceAll('^', '').split(/[-–]/u).map(Number);
    const length = Math.min(Math.max(last - first + 1, 1), maxIds);
    return Array.from({ length }, (_, index) => first + index);
  });
  const numbers = new Set(named.slice(0, maxIds).flatMap((id) => sources.cite(id) ?? []));
  return Array.from(numbers, (n) => `\0${n}\0`).join('');
}

/**
 * Matches a possible link. Markdown also links an address that follows `_`, `*` or `~`, so no word boundary is
 * required. Browsers read `https:/host` and `https:host` like `https://host`.
 */
const address =
  /(?:[a-z][a-z0-9+.-]{0,20}:\/\/|(?<![a-z])(?:https?|ftps?|wss?):[/\\]*(?=[^\s/\\])|www\.|(?<![a-z0-9:/])\/\/[\w-]+\.)\S*/iu;
const closing = `.,;:!?)]}'"*_~>`;
const removedLink = 'link removed';
/**
 * Matches a text that a client may make a link although it has no scheme with slashes: a name with a dot that could be
 * a host, such as `evil.example` or `README.md`, in any script; an address of IPv4; a name after two slashes; a mail
 * address; and a scheme such as `tel:1`, which any program can claim. Browsers also read the full stops of Chinese and
 * Japanese as dots, which end sentences there, so they count between Latin letters only.
 */
const linkable =
  /[\p{L}\p{M}\p{N}\p{S}_-]\.\p{L}[\p{L}\p{M}\p{N}-]|(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.])|^\/\/[\p{L}\p{N}]|[a-z0-9-][。．｡][a-z][a-z0-9-]|@\w|[a-z][a-z0-9+.-]{1,31}:\S/iu;

/** Cleans a word: an address becomes the citation of its source or is removed, what may be one becomes code. */
function cleanWord(raw: string, sources: IssuedSources): string {
  // A backslash before punctuation only hides what it means.
  const word = raw.replaceAll(/\\(?=[!-/:-@[-`{-~])/gu, '');
  const found = address.exec(word);
  if (found !== null) {
    const target = withoutEnd(found[0], closing);
    const end = found[0].slice(target.length);
    const id = sources.withAddress(target);
    const n = id === undefined ? undefined : sources.cite(id);
    const cited = n === undefined ? inlineCode(removedLink) : `[${n}]`;
    return `${cleanWord(word.slice(0, found.index), sources)}${cited}${escaped(end)}`;
  }
  const inner = withoutEnd(word, closing);
  const at = Math.max(0, inner.search(/[^*_~("'<[{]/u));
  return linkable.test(inner.slice(at))
    ? `${escaped(inner.slice(0, at))}${inlineCode(inner.slice(at))}${escaped(word.slice(inner.length))}`
    : escaped(word);
}

/** Escapes what begins a link, HTML or another way to write a character of markup. */
function escaped(text: string): string {
  return text.replaceAll(/[\\`[\]<&]/gu, String.raw`\$&`);
}

/** Formats inline code. An address in it stays only if a source contains it: it is then a quotation. */
function cleanCode(text: string, sources: IssuedSources): string {
  const kept = text
    .split(/(\s+)/u)
    .map((word) => {
      const found = address.exec(word)?.[0];
      return found === undefined || sources.contain(withoutEnd(found, closing)) ? word : removedLink;
    })
    .join('');
  return kept.trim() === '' ? '' : inlineCode(kept);
}

import { visibleText } from '../../../../foundation/kernel/text/visible-text.ts';
import type { IssuedSources } from '../issued-sources.ts';
import { readIds } from './citation-ids.ts';
import { citeAddress, cleanCode, cleanWord } from './clean-word.ts';
import { BracketEnds, endOfCode, endOfTag, max, type SpanEnd } from './read-span.ts';

/** A cleaned piece, and how many characters it stands for. */
interface Taken {
  readonly text: string;
  readonly length: number;
  /** True for markup that was removed: what stands around it must not become one word. */
  readonly removed?: boolean;
}

type Step = Taken | 'wait';

const maxWord = 400;

/** Maximum number of brackets around a link or citation. Further ones are shown as they are. */
const maxDepth = 8;

/**
 * Cleans the Markdown of a language model while it arrives. Citations of issued sources get their number in the answer,
 * others are removed. Links keep only their text, or become the citation of their source; images and HTML are removed;
 * code blocks become lines of inline code. A construct that is not complete is held back until it can be judged.
 */
export class AnswerCleaner {
  readonly #sources: IssuedSources;
  readonly #depth: number;
  #text = '';
  /** The end of the last piece, which only the next one tells how to read: a backslash or half a surrogate pair. */
  #tail = '';
  /** The code block that is open, by its fence. */
  #fence: string | undefined;
  #isLineStart = true;
  /** False while the line has no letters, so that a citation in it could begin the definition of a link. */
  #hasLetters = false;
  #space = '';
  #lastChar = '';
  #labels = new BracketEnds('[', max.label);
  #targets = new BracketEnds('(', max.target);
  #hasGap = false;

  constructor(sources: IssuedSources, depth = 0) {
    this.#sources = sources;
    this.#depth = depth;
  }

  /** Returns what can be shown after another piece of the text. */
  push(piece: string): string {
    return this.#drain(piece, false);
  }

  /** Returns the text that was held back, and resets the cleaner for the next turn. */
  end(): string {
    const rest = this.#drain('', true);
    this.#fence = undefined;
    this.#isLineStart = true;
    this.#space = '';
    this.#labels = new BracketEnds('[', max.label);
    this.#targets = new BracketEnds('(', max.target);
    return rest;
  }

  #drain(piece: string, isEnd: boolean): string {
    this.#add(piece, isEnd);
    let shown = '';
    while (this.#text !== '') {
      const step = this.#isLineStart ? this.#lineStart(isEnd) : this.#inline(isEnd);
      if (step === 'wait') break;
      this.#text = this.#text.slice(step.length);
      this.#labels.consume(step.length);
      this.#targets.consume(step.length);
      shown += this.#joined(step);
    }
    return shown;
  }

  /** Adds a piece without invisible characters. What is held already is not read again. */
  #add(piece: string, isEnd: boolean): void {
    const raw = this.#tail + piece;
    const half = isEnd ? '' : (/[\uD800-\uDBFF]$/u.exec(raw)?.[0] ?? '');
    const visible = visibleText(raw.slice(0, raw.length - half.length));
    const backslash = !isEnd && visible.endsWith('\\') ? '\\' : '';
    this.#tail = backslash + half;
    // A backslash before these characters only hides an address.
    this.#text += visible.slice(0, visible.length - backslash.length).replaceAll(/\\(?=[./:@&-])/gu, '');
  }

  /** Puts a cleaned piece after what was shown before. */
  #joined({ text, removed = false }: Taken): string {
    if (text === '') {
      if (removed && this.#space === '') this.#hasGap = true;
      if (removed) this.#space = '';
      return '';
    }
    const needsGap =
      (this.#hasGap || removed) &&
      this.#space === '' &&
      /\S/u.test(this.#lastChar) &&
      /^(?:\p{L}|\p{N}|[./:@_&#-]\S)/u.test(text);
    const shown = `${needsGap ? ' ' : this.#space}${text}`;
    this.#space = '';
    this.#hasGap = false;
    this.#lastChar = shown.at(-1) ?? this.#lastChar;
    if (/\p{L}/u.test(text)) this.#hasLetters = true;
    return shown;
  }

  /** Reads fences and indentation at the start of a line. */
  #lineStart(isEnd: boolean): Step {
    const end = this.#text.indexOf('\n');
    if (this.#fence !== undefined) return this.#blockLine(this.#fence, end, isEnd);
    const [, indent = '', marks = ''] = /^([ \t]*)([`~]*)/u.exec(this.#text) ?? [];
    const isOpen = indent.length + marks.length === this.#text.length && !isEnd;
    if (isOpen && indent.length + marks.length < max.code) return 'wait';
    if (/^(?:`{3,}|~{3,})$/u.test(marks)) {
      if (end < 0 && !isEnd && this.#text.length < max.code) return 'wait';
      this.#fence = marks;
      return { text: '', length: end < 0 ? this.#text.length : end + 1 };
    }
    this.#isLineStart = false;
    this.#hasLetters = false;
    this.#space = indent;
    return { text: '', length: indent.length };
  }

  #blockLine(fence: string, end: number, isEnd: boolean): Step {
    if (end < 0 && !isEnd && this.#text.length < max.target) return 'wait';
    const line = this.#text.slice(0, end < 0 ? undefined : end);
    const length = end < 0 ? line.length : end + 1;
    if (line.trim().startsWith(fence)) {
      this.#fence = undefined;
      return { text: '', length };
    }
    return { text: `${cleanCode(line, this.#sources)}${end < 0 ? '' : '\n'}`, length };
  }

  #inline(isEnd: boolean): Step {
    const [char = '', next] = this.#text;
    if (char === '\n') {
      this.#isLineStart = true;
      return { text: char, length: 1 };
    }
    if (char === ' ' || char === '\t') {
      this.#space += char;
      return { text: '', length: 1 };
    }
    if (next === undefined && !isEnd && '\\!<['.includes(char)) return 'wait';
    return this.#markup(char, next, isEnd) ?? this.#word(char, isEnd);
  }

  /** Reads a construct that starts with a special character; `undefined` for a word. */
  #markup(char: string, next: string | undefined, isEnd: boolean): Step | undefined {
    if (char === '`') return this.#code(isEnd);
    if (char === '[' || (char === '!' && next === '[')) return this.#bracket(char === '!', isEnd);
    if (char === '<') return /[a-z/!?]/iu.test(next ?? '') ? this.#tag(isEnd) : escape(char);
    // A backslash that still stands before one of these was written as an escaped backslash.
    if (char === '\\' && /^[./:@&-]$/u.test(next ?? '')) return escape(char);
    if (char === '\\') return isPunctuation(next) ? { text: char + next, length: 2 } : escape(char);
    if (char === ']') return escape(char);
    return char === '!' ? { text: char, length: 1 } : undefined;
  }

  #word(char: string, isEnd: boolean): Step {
    const [word = char] = /^[^\s\\`![\]<]{1,400}/u.exec(this.#text) ?? [];
    const after = this.#text.slice(word.length, word.length + 2);
    // A backslash may belong to the word.
    if ((after === '' || after === '\\') && word.length < maxWord && !isEnd) return 'wait';
    return {
      text: `${cleanWord(word, this.#sources)}${word.length === maxWord ? ' ' : ''}`,
      length: word.length,
    };
  }

  #code(isEnd: boolean): Step {
    const run = /^`+/u.exec(this.#text)?.[0].length ?? 1;
    if (run === this.#text.length && !isEnd && run < max.code) return 'wait';
    const end = endOfCode(this.#text, 0, run, isEnd);
    if (end === 'wait') return 'wait';
    if (end === 'none') return { text: '\\`'.repeat(run), length: run };
    return { text: cleanCode(this.#text.slice(run, end), this.#sources), length: end + run };
  }

  /** Reads a citation, a link, an image or a text in brackets. */
  #bracket(isImage: boolean, isEnd: boolean): Step {
    const from = isImage ? 1 : 0;
    const end = this.#depth < maxDepth ? this.#labels.endOf(this.#text, from, isEnd) : 'none';
    if (end === 'wait') return 'wait';
    if (end === 'none') return { text: `${isImage ? '!' : ''}\\[`, length: from + 1 };
    const label = this.#text.slice(from + 1, end);
    const next = this.#text[end + 1];
    if (next === undefined && !isEnd) return 'wait';
    const close: SpanEnd = next === '(' ? this.#targets.endOf(this.#text, end + 1, isEnd) : 'none';
    if (close === 'wait') return 'wait';
    const length = (close === 'none' ? end : close) + 1;
    if (isImage) return { text: '', length, removed: true };
    const ids = readIds(label);
    if (ids !== undefined) return this.#citation(ids, length, next);
    const shown = this.#nested(label);
    if (close === 'none') return { text: `\\[${shown}\\]`, length };
    return { text: this.#link(shown, this.#text.slice(end + 2, close)), length, removed: true };
  }

  /** Returns the text of a link, with the number of its source if the link leads to one. */
  #link(shown: string, destination: string): string {
    const [target = ''] = destination.trim().split(/\s/u);
    const cited = citeAddress(target.replaceAll(/^<|>$/gu, ''), this.#sources);
    return cited.startsWith('[') ? `${shown} ${cited}` : shown;
  }

  #citation(ids: readonly number[], length: number, next: string | undefined): Taken {
    const numbers = [...new Set(ids.flatMap((id) => this.#sources.cite(id) ?? []))];
    if (numbers.length === 0) return { text: '', length, removed: true };
    // At the start of a line, a number and a colon would define the address of a link.
    const gap = next === ':' && !this.#hasLetters ? ' ' : '';
    return { text: `${numbers.map((n) => `[${n}]`).join('')}${gap}`, length };
  }

  #tag(isEnd: boolean): Step {
    const end = endOfTag(this.#text, 0, isEnd);
    if (end === 'wait') return 'wait';
    if (end === 'none') return escape('<');
    const inner = this.#text.slice(1, end);
    const length = end + 1;
    if (/^[a-z][a-z0-9+.-]{1,31}:[^\s<>]*$/iu.test(inner))
      return { text: citeAddress(inner, this.#sources), length };
    return { text: '', length, removed: true };
  }

  /** Cleans the text of a link, which is complete. */
  #nested(label: string): string {
    const cleaner = new AnswerCleaner(this.#sources, this.#depth + 1);
    cleaner.#isLineStart = false;
    return `${cleaner.push(label)}${cleaner.end()}`.replaceAll('\n', ' ');
  }
}

function escape(char: string): Taken {
  return { text: `\\${char}`, length: 1 };
}

function isPunctuation(char: string | undefined): boolean {
  return char !== undefined && /^[!-/:-@[-`{-~]$/u.test(char);
}

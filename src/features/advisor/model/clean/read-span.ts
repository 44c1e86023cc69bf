/** The end of a construct of Markdown, or that more text is needed to find it. */
export type SpanEnd = number | 'wait' | 'none';

/** Maximum length of a label, of inline code, and of a destination or tag, in characters. */
export const max = { label: 600, code: 600, target: 2000 } as const;

/**
 * Finds the ends of the brackets of one kind in a text that grows at its end and is consumed at its start. Reads each
 * character once, however many brackets are open. Escaped brackets do not count.
 */
export class BracketEnds {
  readonly #open: string;
  readonly #close: string;
  readonly #limit: number;
  /** Number of consumed characters. The positions below count from the first character that was ever read. */
  #consumed = 0;
  /** Position of the next character to read. */
  #at = 0;
  #blankAt = -1;
  #unclosed: number[] = [];
  readonly #ends = new Map<number, number>();

  constructor(open: '[' | '(', limit: number) {
    this.#open = open;
    this.#close = open === '[' ? ']' : ')';
    this.#limit = limit;
  }

  /** Returns the index of the bracket that closes the one at `from`. */
  endOf(text: string, from: number, isEnd: boolean): SpanEnd {
    const start = this.#consumed + from;
    for (;;) {
      const end = this.#ends.get(start);
      if (end !== undefined) return end - start > this.#limit ? 'none' : end - this.#consumed;
      if (this.#blankAt >= start || this.#at - start > this.#limit) return 'none';
      if (!this.#read(text, isEnd)) return isEnd ? 'none' : 'wait';
    }
  }

  consume(length: number): void {
    this.#consumed += length;
    // Consumed characters need no reading.
    this.#at = Math.max(this.#at, this.#consumed);
  }

  /** Reads a character. Returns false if more text is needed. */
  #read(text: string, isEnd: boolean): boolean {
    const at = this.#at - this.#consumed;
    const char = text[at];
    if (char === undefined) return false;
    // The next character tells whether a blank line follows.
    if (char === '\n' && at + 1 === text.length && !isEnd) return false;
    if (isBlankLine(text, at)) {
      this.#blankAt = this.#at;
      this.#unclosed = [];
    } else if (char === this.#open) this.#unclosed.push(this.#at);
    else if (char === this.#close) {
      const start = this.#unclosed.pop();
      if (start !== undefined) this.#ends.set(start, this.#at);
    }
    this.#at += char === '\\' ? 2 : 1;
    return true;
  }
}

const comment = '<!--';

/** Returns the index of the `>` that ends the tag, comment or address at `from`. */
export function endOfTag(text: string, from: number, isEnd: boolean): SpanEnd {
  if (text.startsWith(comment, from)) return endOfComment(text, from, isEnd);
  // A search for one character is much faster, and most texts without an end have no `>` at all.
  if (!text.slice(from, from + max.target + 1).includes('>'))
    return isEnd || text.length - from > max.target || text.indexOf('\n\n', from) >= 0 ? 'none' : 'wait';
  return endOfAttributes(text, from, isEnd);
}

/** Returns the index of the first `>` that is in no quoted value of an attribute. */
function endOfAttributes(text: string, from: number, isEnd: boolean): SpanEnd {
  let quote = '';
  for (let at = from + 1; at < text.length; at++) {
    if (at - from > max.target || isBlankLine(text, at)) return 'none';
    const char = text[at] ?? '';
    if (quote !== '') quote = char === quote ? '' : quote;
    else if (char === '>') return at;
    else if ((char === '"' || char === "'") && text[at - 1] === '=') quote = char;
  }
  return isEnd ? 'none' : 'wait';
}

function endOfComment(text: string, from: number, isEnd: boolean): SpanEnd {
  const start = from + comment.length;
  const near = text.slice(start, start + max.target);
  // As in `endOfTag`.
  const end = near.includes('>') ? near.indexOf('-->') : -1;
  if (end >= 0) return start + end + 2;
  return isEnd || text.length - from > max.target ? 'none' : 'wait';
}

/** Returns the index of the backticks that close the `run` at `from`: as many, and no more. */
export function endOfCode(text: string, from: number, run: number, isEnd: boolean): SpanEnd {
  for (let at = from + run; at < text.length; at++) {
    if (at - from > max.code || isBlankLine(text, at)) return 'none';
    if (text[at] !== '`') continue;
    let length = 1;
    while (text[at + length] === '`') length += 1;
    if (at + length === text.length && !isEnd) return 'wait';
    if (length === run) return at;
    at += length - 1;
  }
  return isEnd ? 'none' : 'wait';
}

/** Markdown ends inline constructs at a blank line. */
function isBlankLine(text: string, at: number): boolean {
  return text[at] === '\n' && text[at + 1] === '\n';
}

/** The end of a construct of Markdown, or that more text is needed to find it. */
export type SpanEnd = number | 'wait' | 'none';

/** Maximum length of a label, of inline code, and of a destination or tag, in characters. */
export const max = { label: 600, code: 600, target: 2000 } as const;

/** Returns the index of the bracket that closes the one at `from`. Escaped brackets do not count. */
export function endOfBracket(text: string, from: number, isEnd: boolean): SpanEnd {
  const [open, close] = text[from] === '[' ? ['[', ']'] : ['(', ')'];
  const limit = open === '[' ? max.label : max.target;
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    if (at - from > limit || isBlankLine(text, at)) return 'none';
    const char = text[at];
    if (char === '\\') at += 1;
    else if (char === open) depth += 1;
    else if (char === close) {
      depth -= 1;
      if (depth === 0) return at;
    }
  }
  return isEnd ? 'none' : 'wait';
}

const comment = '<!--';

/** Returns the index of the `>` that ends the tag, comment or address at `from`. */
export function endOfTag(text: string, from: number, isEnd: boolean): SpanEnd {
  if (text.startsWith(comment, from)) return endOfComment(text, from, isEnd);
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
  const end = text.indexOf('-->', from + comment.length);
  if (end >= 0) return end + 2;
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

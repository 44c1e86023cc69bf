/** Maximum length of the text of a receiver that is read, in characters. */
export const maxReceiver = 300;

const quotes = `"'\``;
const chain = /^[$@\p{L}_][\w$@\u0080-\uffff]*(?:\(\))?(?:\.[#$@\w\u0080-\uffff]+(?:\(\))?)*$/u;

/**
 * Returns a receiver that is a chain of names and calls, with dots and without the arguments: `a.open().b`. The
 * variable of the instance is `this`. Returns an empty text for another expression.
 */
export function readChain(written: string, selves: readonly string[]): string {
  if (written.length > maxReceiver) return '';
  const bare = withoutArguments(inner(written));
  if (bare === undefined) return '';
  const self = selves.find((each) => bare.startsWith(`${each}.`) || bare.startsWith(`${each}->`));
  const receiver = self === undefined ? bare : `this${bare.slice(self.length)}`;
  const dotted = receiver
    // bounded: at most 300 characters (maxReceiver)
    .replaceAll(/\s*(?:::|\??->|(?:[?&]|!{1,2})?\.|\\)\s*/g, '.')
    .replace(/^[.*&]+/, '')
    .replace(/(?:!{1,2}|\?)$/, '');
  return chain.test(dotted) ? dotted : '';
}

/** Returns an expression without brackets around it, and without the words before a call. */
function inner(written: string): string {
  let text = written.trim();
  for (;;) {
    const rest = text.replace(/^(?:await|new)\s+/, '');
    const isWrapped = rest.startsWith('(') && endOfGroup(rest, 0) === rest.length - 1;
    const next = isWrapped ? rest.slice(1, -1).trim() : rest;
    if (next === text) return text;
    text = next;
  }
}

/**
 * Removes what is inside brackets of a call or a literal (`Room{…}`), and type arguments before them; `undefined` if
 * brackets do not match.
 */
function withoutArguments(text: string): string | undefined {
  let bare = '';
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] !== '(' && (text[at] !== '{' || bare === '')) {
      bare += text[at];
      continue;
    }
    const end = endOfGroup(text, at);
    if (end < 0) return undefined;
    // bounded: at most 300 characters (maxReceiver)
    bare = `${bare.trimEnd().replace(/(?:::)?<[^()]*>$/, '')}()`;
    at = end;
  }
  return bare;
}

/** Returns the position of the bracket that closes the one at a position; -1 if there is none. */
function endOfGroup(text: string, start: number): number {
  let depth = 0;
  let quote = '';
  for (let at = start; at < text.length; at += 1) {
    const letter = text[at]!;
    if (quote !== '') {
      if (letter === '\\') at += 1;
      else if (letter === quote) quote = '';
    } else if (quotes.includes(letter)) quote = letter;
    else if (letter === '(' || letter === '{') depth += 1;
    else if (letter === ')' || letter === '}') {
      depth -= 1;
      if (depth === 0) return at;
    }
  }
  return -1;
}

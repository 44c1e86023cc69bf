import { queryError } from './query-error.ts';

/** The text of a term and its notation. */
export interface TermValue {
  readonly form: 'word' | 'phrase' | 'regex';
  readonly text: string;
  /** `/…/i` */
  readonly ignoreCase: boolean;
}

/** `at` is the 0-based offset of the token in the query. */
export type Token =
  | { readonly kind: 'open' | 'close' | 'or' | 'and' | 'not'; readonly at: number }
  | { readonly kind: 'term'; readonly at: number; readonly filter?: string; readonly value: TermValue };

/** Returns whether `name` is a filter. `valued` is false if the text ends after the colon or a space follows. */
type IsFilter = (name: string, at: number, valued: boolean) => boolean;

/**
 * Splits a query into tokens. Agents send code, so text that is not clearly an operator is a literal word:
 * `std::vector`, `->next`, `--flag`, `/api/v1`, `main()`. A word ends at a space or at a closing parenthesis without
 * an opening one.
 * @param isFilter returns whether `name` before a colon is a filter; it throws for a typing error.
 */
export function tokenize(text: string, isFilter: IsFilter): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < text.length) {
    if (isSpace(text, at)) {
      at += 1;
      continue;
    }
    const [token, end] = readToken(text, at, isFilter);
    tokens.push(token);
    at = end;
  }
  return tokens;
}

type Read<T> = readonly [T, end: number];

function readToken(text: string, at: number, isFilter: IsFilter): Read<Token> {
  if (text[at] === '(') return [{ kind: 'open', at }, at + 1];
  if (text[at] === ')') return [{ kind: 'close', at }, at + 1];
  if (text[at] === '-' && /^["/(.\p{L}\p{N}_]/u.test(text.slice(at + 1, at + 3)))
    return [{ kind: 'not', at }, at + 1];
  const filter = /^([A-Za-z]+):(?!:)/u.exec(text.slice(at, at + 32))?.[1]?.toLowerCase();
  if (filter !== undefined && isFilter(filter, at, !endsTerm(text, at + filter.length + 1))) {
    const [value, end] = readValue(text, at + filter.length + 1);
    if (value.text === '') {
      throw queryError(
        at,
        `\`${filter}:\` needs a value right after the colon; to find that text, quote it.`,
      );
    }
    return [{ kind: 'term', at, filter, value }, end];
  }
  const [value, end] = readValue(text, at);
  const operator = value.form === 'word' ? operatorOf(value.text) : undefined;
  if (operator !== undefined) return [{ kind: operator, at }, end];
  return [{ kind: 'term', at, value }, end];
}

/** Returns the operator of a word. `and` and `not` in lower case are words, because they are frequent in code. */
function operatorOf(word: string): 'or' | 'and' | 'not' | undefined {
  if (word === 'AND') return 'and';
  if (word === 'NOT') return 'not';
  return /^or$/iu.test(word) ? 'or' : undefined;
}

function readValue(text: string, at: number): Read<TermValue> {
  if (text[at] === '"') return readPhrase(text, at);
  return (text[at] === '/' ? readRegex(text, at) : undefined) ?? readWord(text, at);
}

/**
 * Reads a phrase. `\"` and `\\` are escapes; any other backslash is literal, because backslashes are frequent in
 * code.
 */
function readPhrase(text: string, start: number): Read<TermValue> {
  let phrase = '';
  for (let at = start + 1; at < text.length; at++) {
    const char = text[at] ?? '';
    if (char === '"') {
      if (phrase === '') throw queryError(start, 'the quotes are empty.');
      if (!endsTerm(text, at + 1)) {
        throw queryError(
          at + 1,
          'put a space after the closing quote, or write `\\"` for a quote inside it.',
        );
      }
      return [{ form: 'phrase', text: phrase, ignoreCase: false }, at + 1];
    }
    if (char === '\n' || char === '\r') {
      throw queryError(
        at,
        'a phrase stays on one line: search for one line, or for several with `-` and `or`.',
      );
    }
    const escaped = char === '\\' && (text[at + 1] === '"' || text[at + 1] === '\\');
    phrase += escaped ? (text[++at] ?? '') : char;
  }
  throw queryError(
    start,
    'this quote is never closed; close it, or write `\\"` inside quotes to find a quote.',
  );
}

/**
 * Reads `/…/` up to the first slash that is neither escaped nor in brackets; returns `undefined` for a path. Refuses a
 * `[` that is never closed if a later slash would end the expression.
 */
function readRegex(text: string, start: number): Read<TermValue> | undefined {
  let bracket: number | undefined;
  let isEnded = false;
  for (let at = start + 1; at < text.length; at++) {
    const char = text[at];
    if (char === '\n' || char === '\r') break;
    if (char === '\\') at += 1;
    else if (char === '[') bracket ??= at;
    else if (char === ']') bracket = undefined;
    else if (char === '/') {
      const isEnd = endsTerm(text, at + (text[at + 1] === 'i' ? 2 : 1));
      if (bracket === undefined) return isEnd ? regexBetween(text, start, at) : undefined;
      isEnded ||= isEnd;
    }
  }
  if (bracket === undefined || !isEnded) return undefined;
  throw queryError(
    bracket,
    'the `[` of this expression is never closed; close it, write `\\[` for a bracket, or quote the text to find it as it is.',
  );
}

/** Returns the expression between two slashes; `undefined` if it is empty. */
function regexBetween(text: string, start: number, slash: number): Read<TermValue> | undefined {
  if (slash === start + 1) return undefined;
  const ignoreCase = text[slash + 1] === 'i';
  const source = text.slice(start + 1, slash).replaceAll(String.raw`\/`, '/');
  return [{ form: 'regex', text: source, ignoreCase }, slash + (ignoreCase ? 2 : 1)];
}

function readWord(text: string, start: number): Read<TermValue> {
  let depth = 0;
  let at = start;
  for (; at < text.length && !isSpace(text, at); at++) {
    if (text[at] === '(') depth += 1;
    if (text[at] === ')' && depth-- === 0) break;
  }
  return [{ form: 'word', text: text.slice(start, at), ignoreCase: false }, at];
}

function endsTerm(text: string, at: number): boolean {
  return at >= text.length || text[at] === ')' || isSpace(text, at);
}

function isSpace(text: string, at: number): boolean {
  return /\s/u.test(text[at] ?? '');
}

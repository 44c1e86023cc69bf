import type { Query } from '../../../backends/codesearch/port.ts';
import { type Directives, isDirective, isFilter, leafOf, readDirectives } from './filters.ts';
import { queryError } from './query-error.ts';
import { type Token, tokenize } from './tokenize.ts';

/** Maximum length of a query, in bytes of UTF-8. */
const maxQueryLength = 1024;
const maxTerms = 20;
const unmatchedParenthesis = 'this `)` has no matching `(`; to find a parenthesis, put the text in quotes.';

/**
 * Parses the query language: words (all of them), "phrase", /regex/, `or`, `AND`, `-` or `NOT`, parentheses, filters.
 * Terms are literal by default, with smart case. A query has at most 1 KB and 20 terms.
 * @throws InvalidInput naming the column and the fix.
 */
export function parseQuery(text: string): Query {
  checkSize(text);
  const all = tokenize(text, isFilter);
  const tokens = withoutDirectives(all);
  if (tokens.length === 0) {
    throw queryError(
      0,
      'it has no search term; write a word, a "phrase", a /regex/ or a filter such as `file:`.',
    );
  }
  const terms = tokens.filter((token) => token.kind === 'term');
  const extra = terms[maxTerms];
  if (extra !== undefined) {
    throw queryError(
      extra.at,
      `a query may have at most ${maxTerms} terms; quote words that belong together.`,
    );
  }
  const reader: Reader = { tokens, position: 0, directives: readDirectives(all), end: text.length };
  const query = readOr(reader);
  const rest = peek(reader);
  if (rest === undefined) return query;
  throw queryError(rest.at, unmatchedParenthesis);
}

/** Removes directives, and each `AND` next to one, because it has nothing to join. */
function withoutDirectives(all: readonly Token[]): Token[] {
  const joinsDirective = (at: number): boolean =>
    all[at]?.kind === 'and' && [all[at - 1], all[at + 1]].some((next) => next && isDirective(next));
  return all.filter((token, at) => !isDirective(token) && !joinsDirective(at));
}

function checkSize(text: string): void {
  if (Buffer.byteLength(text) > maxQueryLength) {
    throw queryError(0, `it is longer than ${maxQueryLength} bytes; search for the part that matters most.`);
  }
  const nul = text.indexOf('\0');
  if (nul >= 0) throw queryError(nul, 'a NUL byte cannot be searched; indexed files are text. Remove it.');
  const broken = text.isWellFormed() ? -1 : text.search(/\p{Cs}/u);
  if (broken >= 0) {
    throw queryError(broken, 'a lone surrogate (half of a character) is not valid; send the query as UTF-8.');
  }
}

interface Reader {
  readonly tokens: readonly Token[];
  position: number;
  readonly directives: Directives;
  /** The end of the query, for errors without a token. */
  readonly end: number;
}

function peek(reader: Reader): Token | undefined {
  return reader.tokens[reader.position];
}

function readOr(reader: Reader): Query {
  const operands = [readAnd(reader)];
  while (peek(reader)?.kind === 'or') {
    reader.position += 1;
    operands.push(readAnd(reader));
  }
  return join('or', operands);
}

function readAnd(reader: Reader): Query {
  const operands: Query[] = [];
  for (let next = peek(reader); next !== undefined && startsOperand(next); next = peek(reader)) {
    operands.push(readOperand(reader));
    // Adjacent terms are joined without an `AND`.
    const joint = peek(reader);
    if (joint?.kind !== 'and') continue;
    reader.position += 1;
    const joined = peek(reader);
    if (joined === undefined || !startsOperand(joined)) throw missingOperand(reader);
  }
  if (operands.length === 0) throw missingOperand(reader);
  return join('and', operands);
}

function startsOperand(token: Token): boolean {
  return token.kind === 'term' || token.kind === 'open' || token.kind === 'not';
}

function readOperand(reader: Reader): Query {
  const token = peek(reader);
  reader.position += 1;
  if (token?.kind === 'term') return leafOf(token, reader.directives);
  if (token?.kind === 'open') return readGroup(reader, token.at);
  if (token?.kind === 'not') {
    const next = peek(reader);
    if (next !== undefined && startsOperand(next)) return { kind: 'not', operand: readOperand(reader) };
  }
  throw missingOperand(reader);
}

function readGroup(reader: Reader, openedAt: number): Query {
  const query = readOr(reader);
  if (peek(reader)?.kind !== 'close') {
    throw queryError(openedAt, 'this `(` is never closed; close it, or put the text in quotes to find it.');
  }
  reader.position += 1;
  return query;
}

function missingOperand(reader: Reader): Error {
  const before = reader.tokens[reader.position - 1];
  const found = peek(reader);
  const lone = [before, found].find((token) => token?.kind === 'or' || token?.kind === 'and');
  if (lone !== undefined) {
    const word = lone.kind === 'or' ? 'or' : 'AND';
    return queryError(lone.at, `\`${word}\` needs a term on each side; to find the word, write "${word}".`);
  }
  if (found?.kind === 'close') {
    return before?.kind === 'open'
      ? queryError(before.at, 'the parentheses are empty; to find `()`, write "()".')
      : queryError(found.at, unmatchedParenthesis);
  }
  return queryError(before?.at ?? reader.end, 'a term is missing here; to find this text, put it in quotes.');
}

function join(kind: 'and' | 'or', operands: readonly Query[]): Query {
  const [first, ...others] = operands;
  return first !== undefined && others.length === 0 ? first : { kind, operands };
}

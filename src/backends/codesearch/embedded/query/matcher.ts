import { InvalidInput } from '../../../../foundation/kernel/errors.ts';
import type { Query } from '../../port.ts';
import { endOfLine, startOfLine } from './lines.ts';
import { parsePattern } from './pattern/parse-pattern.ts';
import { printAscii, printLiteral, printUnicode } from './pattern/print-pattern.ts';
import { longestText, type Requirement, requireLiteral, requirePattern } from './pattern/requirement.ts';
import type { SearchableText } from './searchable-text.ts';

export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Finds one literal or pattern in text. Never across lines. */
export interface Matcher {
  /** What the bytes must hold, for the trigrams. */
  readonly requirement: Requirement;
  /** The first match that starts at or after `from`. */
  first(text: SearchableText, from: number): Span | undefined;
}

/** @throws InvalidInput */
export function literalMatcher(query: Extract<Query, { kind: 'literal' }>): Matcher {
  const { text, caseSensitive } = query;
  if (text === '') throw refuseLiteral('is empty; write what to search for');
  if (/[\n\0]/.test(text)) throw refuseLiteral('holds a newline or NUL; search works line by line');
  if (!text.isWellFormed()) throw refuseLiteral('is not valid Unicode');
  const requirement = requireLiteral(text, caseSensitive);
  if (caseSensitive) return { requirement, first: exactFinder(text) };
  const printed = printLiteral(text);
  return {
    requirement,
    first: patternFinder(new RegExp(printed.ascii, 'gi'), new RegExp(printed.unicode, 'giv')),
  };
}

/** @throws InvalidInput */
export function patternMatcher(query: Extract<Query, { kind: 'regex' }>): Matcher {
  const { ast, caseSensitive } = parsePattern(query.source, query.caseSensitive);
  const requirement = requirePattern(ast, caseSensitive);
  const find = patternFinder(
    new RegExp(printAscii(ast, caseSensitive), caseSensitive ? 'g' : 'gi'),
    new RegExp(printUnicode(ast), caseSensitive ? 'gv' : 'giv'),
  );
  const needle = caseSensitive ? longestText(requirement) : undefined;
  return { requirement, first: needle === undefined ? find : linesWith(needle, find) };
}

type Finder = Matcher['first'];

function exactFinder(text: string): Finder {
  const needle = Buffer.from(text);
  return (searched, from) => {
    // Bytes first: most units hold no match, and need no decoding to see it.
    if (from === 0 && !searched.bytes.includes(needle)) return undefined;
    const start = searched.text().indexOf(text, from);
    return start < 0 ? undefined : { start, end: start + text.length };
  };
}

function patternFinder(ascii: RegExp, unicode: RegExp): Finder {
  return (searched, from) => {
    const pattern = searched.ascii ? ascii : unicode;
    pattern.lastIndex = from;
    const match = pattern.exec(searched.text());
    return match === null ? undefined : { start: match.index, end: match.index + match[0].length };
  };
}

/** Runs the pattern over those lines alone that hold a text which every match holds. */
function linesWith(needleBytes: string, find: Finder): Finder {
  const needle = Buffer.from(needleBytes, 'latin1');
  const needleText = needle.toString('utf8');
  return (searched, from) => {
    if (from === 0 && !searched.bytes.includes(needle)) return undefined;
    const text = searched.text();
    for (let at = text.indexOf(needleText, from); at >= 0; ) {
      const lineStart = Math.max(from, startOfLine(text, at));
      const lineEnd = endOfLine(text, at);
      const line = { ...searched, text: () => text.slice(lineStart, lineEnd) };
      const match = find(line, 0);
      if (match !== undefined) return { start: match.start + lineStart, end: match.end + lineStart };
      at = text.indexOf(needleText, lineEnd);
    }
    return undefined;
  };
}

function refuseLiteral(what: string): InvalidInput {
  const message = `The text to search for ${what}.`;
  return new InvalidInput(message, { code: 'invalid_query', errors: [{ path: 'q', message }] });
}

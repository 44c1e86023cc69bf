import { parsePattern } from '../../parse-pattern.ts';
import type { Query } from '../../port.ts';
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

/** `text` is one well-formed line. */
export function literalMatcher(query: Extract<Query, { kind: 'literal' }>): Matcher {
  const { text, caseSensitive } = query;
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
    if (searched.ascii || from === 0) {
      const at = searched.bytes.indexOf(needle, from);
      if (at < 0) return undefined;
      if (searched.ascii) return { start: at, end: at + needle.length };
    }
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
  const needle = exactFinder(Buffer.from(needleBytes, 'latin1').toString('utf8'));
  return (searched, from) => {
    for (let at = needle(searched, from); at !== undefined; ) {
      const start = Math.max(from, searched.startOfLine(at.start));
      const end = searched.endOfLine(at.end);
      const line = searched.slice(start, end);
      const match = find({ ...searched, text: () => line }, 0);
      if (match !== undefined) return { start: match.start + start, end: match.end + start };
      at = needle(searched, end);
    }
    return undefined;
  };
}

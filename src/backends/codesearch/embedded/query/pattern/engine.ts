import type { AST } from '@eslint-community/regexpp';
import type { Span } from '../text/span.ts';
import { digitBeyondAscii, reachOf } from './beyond-ascii.ts';
import { printAscii, printLiteral, printUnicode } from './print-pattern.ts';

/** A compiled pattern. None of its matches extends beyond one line. */
export interface LinePattern {
  /**
   * Returns the first match that starts at or after `from`. `ascii` means that only the ASCII characters of the text
   * matter.
   */
  first(text: string, ascii: boolean, from: number): Span | undefined;
  /**
   * Returns true for bytes, read as latin1, that can be matched as ASCII before and after decoding: their other
   * characters match nothing. Absent if these may match.
   */
  readonly isPlain?: (latin1: string) => boolean;
}

/** Compiles and runs patterns. All engines find the same matches. */
export interface Engine {
  pattern(ast: AST.Pattern, caseSensitive: boolean): LinePattern;
  /** Compiles a case-insensitive literal. */
  literal(text: string): LinePattern;
  /** Returns true if the engine skipped a line on which it cannot decide. */
  hasSkippedLines(): boolean;
}

/**
 * A fast engine that does not terminate on some patterns in reasonable time. Use it only where a time-out is
 * enforced.
 */
export const v8Engine: Engine = {
  pattern: (ast, caseSensitive) => {
    const ascii = new RegExp(printAscii(ast, caseSensitive), caseSensitive ? 'g' : 'gi');
    const pattern = v8Pattern(ascii, new RegExp(printUnicode(ast), caseSensitive ? 'gv' : 'giv'));
    const reach = reachOf(ast, caseSensitive);
    if (reach === 'any') return pattern;
    return { ...pattern, isPlain: (latin1) => reach === 'none' || !digitBeyondAscii.test(latin1) };
  },
  literal: (text) => {
    const printed = printLiteral(text);
    return v8Pattern(new RegExp(printed.ascii, 'gi'), new RegExp(printed.unicode, 'giv'));
  },
  hasSkippedLines: () => false,
};

function v8Pattern(ascii: RegExp, unicode: RegExp): LinePattern {
  return { first: (text, isAscii, from) => run(isAscii ? ascii : unicode, text, from) };
}

function run(pattern: RegExp, text: string, from: number): Span | undefined {
  pattern.lastIndex = from;
  const match = pattern.exec(text);
  return match === null ? undefined : { start: match.index, end: match.index + match[0].length };
}

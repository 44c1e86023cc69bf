import type { AST } from '@eslint-community/regexpp';
import type { Span } from '../span.ts';
import { DIGIT_BEYOND_ASCII, reachOf } from './beyond-ascii.ts';
import { printAscii, printLiteral, printUnicode } from './print-pattern.ts';

/** A pattern that was compiled, for whole lines: none of its matches leaves its line. */
export interface LinePattern {
  /** The first match that starts at or after `from`. `ascii` says that nothing else in the text matters. */
  first(text: string, ascii: boolean, from: number): Span | undefined;
  /**
   * True for bytes, as latin1, that can be judged as if they were ASCII, as they are or decoded: what else there is in
   * them matches nothing. Absent where it may always match.
   */
  readonly isPlain?: (latin1: string) => boolean;
}

/** What runs patterns. All engines give the same matches. */
export interface Engine {
  pattern(ast: AST.Pattern, caseSensitive: boolean): LinePattern;
  /** A literal in any case. */
  literal(text: string): LinePattern;
  /** True once it had to pass over a line that it could not judge. */
  passedOver(): boolean;
}

/** Fast, but there are patterns that it would not come to an end with: only where somebody watches. */
export const v8Engine: Engine = {
  pattern: (ast, caseSensitive) => {
    const ascii = new RegExp(printAscii(ast, caseSensitive), caseSensitive ? 'g' : 'gi');
    const pattern = v8Pattern(ascii, new RegExp(printUnicode(ast), caseSensitive ? 'gv' : 'giv'));
    const reach = reachOf(ast, caseSensitive);
    if (reach === 'any') return pattern;
    return { ...pattern, isPlain: (latin1) => reach === 'none' || !DIGIT_BEYOND_ASCII.test(latin1) };
  },
  literal: (text) => {
    const printed = printLiteral(text);
    return v8Pattern(new RegExp(printed.ascii, 'gi'), new RegExp(printed.unicode, 'giv'));
  },
  passedOver: () => false,
};

function v8Pattern(ascii: RegExp, unicode: RegExp): LinePattern {
  return { first: (text, isAscii, from) => run(isAscii ? ascii : unicode, text, from) };
}

function run(pattern: RegExp, text: string, from: number): Span | undefined {
  pattern.lastIndex = from;
  const match = pattern.exec(text);
  return match === null ? undefined : { start: match.index, end: match.index + match[0].length };
}

import type { AST } from '@eslint-community/regexpp';
import type { Span } from '../span.ts';
import { printAscii, printLiteral, printUnicode } from './print-pattern.ts';

/** A pattern that was compiled, for whole lines: none of its matches leaves its line. */
export interface LinePattern {
  /** The first match that starts at or after `from`. `ascii` says that the text holds nothing else. */
  first(text: string, ascii: boolean, from: number): Span | undefined;
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
  pattern: (ast, caseSensitive) =>
    v8Pattern(
      new RegExp(printAscii(ast, caseSensitive), caseSensitive ? 'g' : 'gi'),
      new RegExp(printUnicode(ast), caseSensitive ? 'gv' : 'giv'),
    ),
  literal: (text) => {
    const printed = printLiteral(text);
    return v8Pattern(new RegExp(printed.ascii, 'gi'), new RegExp(printed.unicode, 'giv'));
  },
  passedOver: () => false,
};

function v8Pattern(ascii: RegExp, unicode: RegExp): LinePattern {
  return {
    first: (text, isAscii, from) => {
      const pattern = isAscii ? ascii : unicode;
      pattern.lastIndex = from;
      const match = pattern.exec(text);
      return match === null ? undefined : { start: match.index, end: match.index + match[0].length };
    },
  };
}

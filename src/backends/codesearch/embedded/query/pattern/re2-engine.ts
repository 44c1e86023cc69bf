import type { AST } from '@eslint-community/regexpp';
import { RE2JS } from 're2js';
import { namesCarriageReturn } from '../../../carriage-return.ts';
import type { Span } from '../text/span.ts';
import { codePointRanges } from './code-point-ranges.ts';
import type { Engine, LinePattern } from './engine.ts';
import { printRe2, printRe2Literal } from './print-pattern.ts';

const lastAscii = 0x7f;
const last = 0x10ffff;

/**
 * Returns an engine whose run time is linear in the length of the text for every pattern, but many times that of V8.
 * It runs patterns on which V8 hung. Its word boundaries are those of ASCII, so for a pattern with a word boundary it
 * skips non-ASCII lines and reports that through `hasSkippedLines`.
 */
export function re2Engine(): Engine {
  let hasSkippedLines = false;
  const compile = (caseSensitive: boolean, print: Print, boundaries: boolean): LinePattern => {
    const ascii = once(() => compiled(print(codePointRanges(caseSensitive, lastAscii))));
    const unicode = once(() => compiled(print(codePointRanges(caseSensitive, last))));
    const first: LinePattern['first'] = (text, isAscii, from) =>
      find(isAscii ? ascii() : unicode(), text, from);
    if (!boundaries) return { first };
    return {
      first: (text, isAscii, from) => {
        if (isAscii) return first(text, true, from);
        return firstInLines(text, from, (line) => {
          if (isAsciiText(line)) return first(line, true, 0);
          hasSkippedLines = true;
          return undefined;
        });
      },
    };
  };
  return {
    pattern: (ast, caseSensitive) => {
      const pattern = compile(caseSensitive, (rangesOf) => printRe2(ast, rangesOf), hasBoundary(ast));
      return namesCarriageReturn(ast) ? pattern : withoutLineEnds(pattern);
    },
    literal: (text) => compile(false, (rangesOf) => printRe2Literal(text, rangesOf), false),
    hasSkippedLines: () => hasSkippedLines,
  };
}

type Print = (rangesOf: (set: string) => string) => string;

function compiled(source: string): RE2JS {
  return RE2JS.compile(source, RE2JS.MULTILINE);
}

function find(pattern: RE2JS, text: string, from: number): Span | undefined {
  const matcher = pattern.matcher(text);
  return matcher.find(from) ? { start: matcher.start(), end: matcher.end() } : undefined;
}

/** Returns a pattern that sees lines without the CR of CR LF. RE2 has no lookaround to exclude it in the pattern. */
function withoutLineEnds({ first }: LinePattern): LinePattern {
  return {
    first: (text, isAscii, from) =>
      text.includes('\r', from)
        ? firstInLines(text, from, (line) => first(line.replace(/\r$/, ''), isAscii, 0))
        : first(text, isAscii, from),
  };
}

function firstInLines(
  text: string,
  from: number,
  findInLine: (line: string) => Span | undefined,
): Span | undefined {
  for (let start = from; start <= text.length; ) {
    const newline = text.indexOf('\n', start);
    const end = newline < 0 ? text.length : newline;
    const found = findInLine(text.slice(start, end));
    if (found !== undefined) return { start: start + found.start, end: start + found.end };
    start = end + 1;
  }
  return undefined;
}

function isAsciiText(text: string): boolean {
  // oxlint-disable-next-line no-control-regex
  return /^[\0-\x7f]*$/.test(text);
}

function hasBoundary(ast: AST.Pattern): boolean {
  return /\\[bB]/.test(ast.raw);
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

import { describe, expect, it } from 'vitest';
import { parsePattern } from '../../../parse-pattern.ts';
import { v8Engine } from './engine.ts';
import { re2Engine } from './re2-engine.ts';

const text = 'using a;\r\n\r\nreturn b;\r\nmid\rdle é\r\nlast\n';

function found(source: string, engine: 'v8' | 're2', on: string): string | undefined {
  const { ast, caseSensitive } = parsePattern(source, true);
  const pattern = (engine === 'v8' ? v8Engine : re2Engine()).pattern(ast, caseSensitive);
  // oxlint-disable-next-line no-control-regex
  const span = pattern.first(on, /^[\0-\x7f]*$/.test(on), 0);
  return span && `${span.start}-${span.end} ${JSON.stringify(on.slice(span.start, span.end))}`;
}

describe.each(['v8', 're2'] as const)('a line that ends with CR LF (%s)', (engine) => {
  it.each([
    ['b;$', '19-21 "b;"'],
    ['^$', '10-10 ""'],
    ['^\\s*$', '10-10 ""'],
    ['[^;]$', '31-32 "é"'],
    ['b.*$', '19-21 "b;"'],
    ['b;.', undefined],
    ['\\s$', undefined],
    ['mid.dle', undefined],
    ['^dle', undefined],
    ['t$', '37-38 "t"'],
  ])('ends before its CR: %s', (source, span) => {
    expect(found(source, engine, text)).toBe(span);
    expect(found(source, engine, text.replace('é', 'e'))).toBe(span?.replace('é', 'e'));
  });

  it.each([
    ['b;\\r$', '19-22 "b;\\r"'],
    ['b;\\r?$', '19-22 "b;\\r"'],
    ['mid\\x0ddle', '23-30 "mid\\rdle"'],
    ['b;\\x{d}', '19-22 "b;\\r"'],
    ['^[^\\r]+$', '34-38 "last"'],
  ])('has its CR for a pattern that names it: %s', (source, span) => {
    expect(found(source, engine, text)).toBe(span);
  });
});

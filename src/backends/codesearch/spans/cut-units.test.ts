import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Definition, LineSpan, RankedDefinition } from '../port.ts';
import { cutUnits } from './cut-units.ts';
import { definitionExtents } from './definition-extents.ts';

const none = (): boolean => false;

function functions(count: number, lines: number): { lines: string[]; definitions: RankedDefinition[] } {
  const text = Array.from({ length: count }, (_, at) => [
    `function f${at}() {`,
    ...Array.from({ length: lines - 2 }, (_line, line) => `  const value${line} = ${'x'.repeat(30)};`),
    '}',
  ]).flat();
  const definitions = Array.from(
    { length: count },
    (_, at): Definition => ({ name: `f${at}`, kind: 'function', line: at * lines + 1 }),
  );
  return { lines: text, definitions: definitionExtents(text, definitions) };
}

describe('units', () => {
  it('are whole definitions; small neighbours share one', () => {
    const long = functions(3, 40);
    expect(cutUnits(long.lines, 'TypeScript', long.definitions, none)).toEqual([
      { startLine: 1, endLine: 40 },
      { startLine: 41, endLine: 80 },
      { startLine: 81, endLine: 120 },
    ]);
    const short = functions(4, 4);
    expect(cutUnits(short.lines, 'TypeScript', short.definitions, none)).toEqual([
      { startLine: 1, endLine: 16 },
    ]);
  });

  it('keep a definition apart that the question names', () => {
    const short = functions(4, 4);
    const units = cutUnits(short.lines, 'TypeScript', short.definitions, ({ name }) => name === 'f2');
    expect(units).toEqual([
      { startLine: 1, endLine: 8 },
      { startLine: 9, endLine: 12 },
      { startLine: 13, endLine: 16 },
    ]);
  });

  it('cut a long definition at those inside it, and the head stays with what precedes them', () => {
    const inner = functions(3, 30);
    const lines = ['class Long {', '  field = 1;', ...inner.lines.map((line) => `  ${line}`), '}'];
    const definitions = definitionExtents(lines, [
      { name: 'Long', kind: 'class', line: 1 },
      ...[3, 33, 63].map((line, at) => ({ name: `f${at}`, kind: 'method' as const, line })),
    ]);
    expect(cutUnits(lines, 'TypeScript', definitions, none).map(({ startLine }) => startLine)).toEqual([
      1, 3, 33, 63, 93,
    ]);
  });

  it('are the sections of a document, without headings in fenced code', () => {
    const text = [`# One`, 'x '.repeat(700), '```', '# no heading', '```', 'Two', '===', 'y '.repeat(700)];
    expect(cutUnits(text, 'Markdown', [], none)).toEqual([
      { startLine: 1, endLine: 5 },
      { startLine: 6, endLine: 8 },
    ]);
  });

  it('cover every line with text once, whatever the definitions are', () => {
    const line = fc.constantFrom('', '  ', '}', 'def x():', '    y', `z${'z'.repeat(900)}`, '# h', '"""');
    const shape = fc.record({ lines: fc.array(line, { maxLength: 60 }), at: fc.array(fc.nat(59)) });
    fc.assert(
      fc.property(shape, fc.constantFrom('Python', 'Markdown'), ({ lines, at }, language) => {
        const numbers = [...new Set(at)].filter((number) => number < lines.length).toSorted((a, b) => a - b);
        const definitions = numbers.map(
          (number): Definition => ({ name: `n${number}`, kind: 'function', line: number + 1 }),
        );
        const units = cutUnits(
          lines,
          language,
          definitionExtents(lines, definitions),
          ({ line: of }) => of % 3 === 0,
        );
        const covered = units.flatMap(linesOf);
        expect(new Set(covered).size).toBe(covered.length);
        const missing = lines.flatMap((text, index) =>
          text.trim() === '' || covered.includes(index + 1) ? [] : [index + 1],
        );
        expect(missing).toEqual([]);
      }),
    );
  });
});

function linesOf({ startLine, endLine }: LineSpan): number[] {
  return Array.from({ length: endLine - startLine + 1 }, (_, at) => startLine + at);
}

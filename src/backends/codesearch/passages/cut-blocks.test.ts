import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LineSpan } from '../port.ts';
import { cutBlocks } from './cut-blocks.ts';

describe('blocks', () => {
  it('are the sections of a document, without headings in fenced code', () => {
    const text = [`# One`, 'x '.repeat(700), '```', '# no heading', '```', 'Two', '===', 'y '.repeat(700)];
    expect(cutBlocks(text, 'Markdown')).toEqual([
      { startLine: 1, endLine: 5 },
      { startLine: 6, endLine: 8 },
    ]);
  });

  it('are cut at blank lines when they are long', () => {
    const entry = ['entry:', ...Array.from({ length: 20 }, () => `  key: ${'v'.repeat(60)}`), ''];
    const lines = [...entry, ...entry, ...entry];
    expect(cutBlocks(lines, 'YAML')).toEqual([
      { startLine: 1, endLine: 21 },
      { startLine: 23, endLine: 43 },
      { startLine: 45, endLine: 65 },
    ]);
  });

  it('cover every line with text once', () => {
    const line = fc.constantFrom('', '  ', '}', 'def x():', '    y', `z${'z'.repeat(900)}`, '# h', '"""');
    fc.assert(
      fc.property(
        fc.array(line, { maxLength: 60 }),
        fc.constantFrom('Python', 'Markdown'),
        (lines, language) => {
          const covered = cutBlocks(lines, language).flatMap(linesOf);
          expect(new Set(covered).size).toBe(covered.length);
          const missing = lines.flatMap((text, index) =>
            text.trim() === '' || covered.includes(index + 1) ? [] : [index + 1],
          );
          expect(missing).toEqual([]);
        },
      ),
    );
  });
});

function linesOf({ startLine, endLine }: LineSpan): number[] {
  return Array.from({ length: endLine - startLine + 1 }, (_, at) => startLine + at);
}

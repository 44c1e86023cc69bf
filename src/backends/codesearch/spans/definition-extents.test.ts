import { describe, expect, it } from 'vitest';
import { openFindDefinitions } from '../embedded/symbols/find-definitions.ts';
import type { RankedDefinition } from '../port.ts';
import { definitionExtents } from './definition-extents.ts';

const find = openFindDefinitions();

function extentsOf(language: string, text: string): RankedDefinition[] {
  return definitionExtents(text.split('\n'), find(language, text));
}

const span = ({ name, startLine, endLine, doc }: RankedDefinition): unknown =>
  doc === undefined ? [name, startLine, endLine] : [name, startLine, endLine, doc.startLine, doc.endLine];

describe('the extent of a definition', () => {
  it('reaches from its comment to its closing brace, also inside a class and a function', () => {
    const text = [
      '/** Parses a query. */',
      'export class Parser {',
      '  // Reads one token.',
      '  next(): Token {',
      '    const skip = (count: number) => {',
      '      this.at += count;',
      '    };',
      '    return skip(1);',
      '  }',
      '',
      '  get end(): number {',
      '    return 1;',
      '  }',
      '}',
      '',
      'const after = 1;',
    ].join('\n');
    expect(extentsOf('TypeScript', text).map(span)).toEqual([
      ['Parser', 1, 14, 1, 1],
      ['next', 3, 9, 3, 3],
      ['skip', 5, 7],
      ['end', 11, 13],
      ['after', 16, 16],
    ]);
  });

  it('follows indentation in Python, with decorators and the text in quotes', () => {
    const text = [
      '@dataclass',
      'class Job(',
      '    Base,',
      '):',
      '    """',
      '    One unit of work.',
      '    """',
      '',
      '    def run(self):',
      '        """Runs it."""',
      '        return 1',
      '',
      '',
      'def after():',
      '    pass',
    ].join('\n');
    expect(extentsOf('Python', text).map(span)).toEqual([
      ['Job', 1, 11, 5, 7],
      ['run', 9, 11, 10, 10],
      ['after', 14, 15],
    ]);
  });

  it('includes a brace on its own line, and ends at the next definition without one', () => {
    expect(extentsOf('C', 'int add(int a)\n{\n  return a;\n}\n\nint sub(int a)\n{\n}\n').map(span)).toEqual([
      ['add', 1, 4],
      ['sub', 6, 8],
    ]);
    expect(extentsOf('TypeScript', 'const a = 1;\nconst b = 2;\n').map(span)).toEqual([
      ['a', 1, 1],
      ['b', 2, 2],
    ]);
  });

  it('takes one pass over nested definitions that nothing ends', () => {
    const depth = 2000;
    const heads = Array.from({ length: depth }, (_, indent) => `${' '.repeat(indent)}def f${indent}():`);
    const lines = [...heads, ...Array.from({ length: 200_000 }, () => '')];
    const definitions = heads.map((_, at) => ({ name: `f${at}`, kind: 'function' as const, line: at + 1 }));
    const found = definitionExtents(lines, definitions);
    expect(found.map(({ endLine }) => endLine)).toEqual(heads.map(() => depth));
  });
});

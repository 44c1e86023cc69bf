import { describe, expect, it } from 'vitest';
import { findDefinitions } from '../../../../test/support/languages/find-definitions.ts';
import type { RankedDefinition } from '../port.ts';
import { definitionExtents } from './definition-extents.ts';

async function extentsOf(language: string, text: string): Promise<RankedDefinition[]> {
  return definitionExtents(text.split('\n'), await findDefinitions(language, text), language);
}

const span = ({ name, startLine, endLine, doc }: RankedDefinition): unknown =>
  doc === undefined ? [name, startLine, endLine] : [name, startLine, endLine, doc.startLine, doc.endLine];

describe('the extent of a definition', () => {
  it('reaches from its comment to its closing brace, also inside a class and a function', async () => {
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
    expect((await extentsOf('TypeScript', text)).map(span)).toEqual([
      ['Parser', 1, 14, 1, 1],
      ['next', 3, 9, 3, 3],
      ['skip', 5, 7],
      ['end', 11, 13],
      ['after', 16, 16],
    ]);
  });

  it('reaches over the handlers of a method in Ruby', async () => {
    const text = ['def wait', '  sleep 1', 'rescue => error', '  log error', 'ensure', '  clean', 'end'];
    const next = ['', 'def other', 'end', ''];
    expect((await extentsOf('Ruby', [...text, ...next].join('\n'))).map(span)).toEqual([
      ['wait', 1, 7],
      ['other', 9, 10],
    ]);
  });

  it('follows indentation in Python, with decorators and the text in quotes', async () => {
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
    expect((await extentsOf('Python', text)).map(span)).toEqual([
      ['Job', 1, 11, 5, 7],
      ['run', 9, 11, 10, 10],
      ['after', 14, 15],
    ]);
  });

  it('includes a brace on its own line, and ends at the next definition without one', async () => {
    expect(
      (await extentsOf('C', 'int add(int a)\n{\n  return a;\n}\n\nint sub(int a)\n{\n}\n')).map(span),
    ).toEqual([
      ['add', 1, 4],
      ['sub', 6, 8],
    ]);
    expect((await extentsOf('TypeScript', 'const a = 1;\nconst b = 2;\n')).map(span)).toEqual([
      ['a', 1, 1],
      ['b', 2, 2],
    ]);
  });

  const place = ({ name, startLine, endLine, container, isTest }: RankedDefinition): unknown => [
    container === undefined ? name : `${container.name}.${name}`,
    startLine,
    endLine,
    ...(isTest === true ? ['test'] : []),
  ];

  it('in Rust reaches over raw texts that are not indented', async () => {
    const text = 'fn usage() {\n    let a = r"x"; print(r#"\nOPTIONS "r"\n}\n"#);\n}\n\nfn next() {\n}\n';
    expect((await extentsOf('Rust', text)).map(span)).toEqual([
      ['usage', 1, 6],
      ['next', 8, 9],
    ]);
  });

  it.each([
    [
      'Python',
      ['def usage():', '    print("""', 'OPTIONS', '""")', '    stop()', '', 'def next():', '    pass'],
      5,
    ],
    ['Go', ['func usage() {', '\tprint(`', 'OPTIONS', '}', '`)', '}', '', 'func next() {', '}'], 6],
    [
      'TypeScript',
      ['function usage() {', '  print(`', 'OPTIONS ${', 'a}', '}`);', '}', '', 'function next() {', '}'],
      6,
    ],
    [
      'TypeScript',
      ['function usage() {', '  /*', 'print();', '}', '*/', '}', '', 'function next() {', '}'],
      6,
    ],
    ['Ruby', ['def usage', '  print <<A', 'OPTIONS', 'end', 'A', 'end', '', 'def next', 'end'], 6],
    ['Shell', ['usage() {', '  cat <<A', 'OPTIONS', '}', 'A', '}', '', 'next() {', '}'], 6],
  ])('in %s reaches over texts that are not indented', async (language, text, end) => {
    const found = (await extentsOf(language, text.join('\n'))).map(span);
    expect(found).toEqual([
      ['usage', 1, end],
      ['next', end + 2, text.length],
    ]);
  });

  it('ends at a definition behind a quote that nothing ends', async () => {
    const text = ['def usage():', '    print("""', '', 'def next():', '    pass'];
    const definitions = [1, 4].map((line) => ({ name: `line${line}`, kind: 'function' as const, line }));
    expect(definitionExtents(text, definitions, 'Python').map(span)).toEqual([
      ['line1', 1, 2],
      ['line4', 4, 5],
    ]);
  });

  it('in Rust reaches over its constraints, and belongs to the type of its block', async () => {
    const text = [
      'impl<T, S> FromRequest<S> for Json<T>',
      'where',
      '    T: DeserializeOwned,',
      '{',
      '    async fn from_request<R>(req: R) -> Self',
      '    where',
      '        R: Read,',
      '    {',
      '        read(req)',
      '    }',
      '}',
      '',
      'fn handle<M>(',
      '    make: M,',
      ') where',
      '    M: Make,',
      '{',
      '    make();',
      '}',
      '',
      '#[cfg(test)]',
      'mod tests {',
      '    fn helper() {}',
      '}',
      '#[tokio::test]',
      'async fn reads() {}',
    ].join('\n');
    expect((await extentsOf('Rust', text)).map(place)).toEqual([
      ['Json.from_request', 5, 10],
      ['handle', 13, 19],
      ['tests', 21, 24],
      ['tests.helper', 23, 23, 'test'],
      ['reads', 25, 26, 'test'],
    ]);
  });

  it('belongs to its class, or in Go to the type of its receiver', async () => {
    const text = 'class Job {\n  run() {\n    const go = () => {\n    };\n  }\n}\nfunction after() {}\n';
    expect((await extentsOf('TypeScript', text)).map(place)).toEqual([
      ['Job', 1, 6],
      ['Job.run', 2, 5],
      ['Job.go', 3, 4],
      ['after', 7, 7],
    ]);
    expect((await extentsOf('Go', 'func (c *Command) Find() error {\n\treturn nil\n}\n')).map(place)).toEqual(
      [['Command.Find', 1, 3]],
    );
  });

  it('ends before the next member of a list', async () => {
    const text = 'enum Kind {\n    Key {\n        name: String,\n    },\n    Other {\n    },\n}\n';
    expect((await extentsOf('Rust', text)).map(span)).toEqual(
      expect.arrayContaining([
        ['Key', 2, 4],
        ['Other', 5, 6],
      ]),
    );
  });

  it('takes one pass over nested definitions that nothing ends', async () => {
    const depth = 2000;
    const heads = Array.from({ length: depth }, (_, indent) => `${' '.repeat(indent)}def f${indent}():`);
    const lines = [...heads, ...Array.from({ length: 200_000 }, () => '')];
    const definitions = heads.map((_, at) => ({ name: `f${at}`, kind: 'function' as const, line: at + 1 }));
    const found = definitionExtents(lines, definitions, 'Python');
    expect(found.map(({ endLine }) => endLine)).toEqual(heads.map(() => depth));
  });
});

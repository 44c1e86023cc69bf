import { describe, expect, it } from 'vitest';
import { symbolSamples } from '../../../../../test/support/codesearch/symbol-samples.ts';
import { languageNames } from '../../../languages/port.ts';
import { symbolKinds } from '../../port.ts';
import { symbolRules } from './languages.ts';
import { openSymbolExtraction } from './symbol-extraction.ts';

const extraction = openSymbolExtraction();

function symbolsOf(language: string, lines: readonly string[]): string[] {
  const found: string[] = [];
  extraction.each(language, Buffer.from(lines.join('\n')), (line, kind, name) => {
    found.push(`${line} ${kind} ${Buffer.from(name, 'latin1').toString()}`);
  });
  return found;
}

describe('definitions of', () => {
  it.each(Object.keys(symbolSamples))('%s', (language) => {
    const lines = symbolSamples[language]!.split('\n');
    const expected = lines.flatMap((line, index) => {
      const mark = line.split(' //= ')[1];
      return mark === undefined ? [] : [`${index + 1} ${mark}`];
    });
    const code = lines.map((line) => line.split(' //= ')[0]!);
    expect(symbolsOf(language, code)).toEqual(expected);
    expect(
      symbolsOf(
        language,
        code.map((line) => `${line}\r`),
      ),
      'with carriage returns',
    ).toEqual(expected);
  });
});

describe('definitions', () => {
  it('are supported for languages that files can have, by the same names', () => {
    expect(Object.keys(symbolRules).filter((language) => !languageNames.includes(language))).toEqual([]);
    expect(Object.keys(symbolRules).length).toBeGreaterThanOrEqual(30);
  });

  it('are none in an unsupported language, even if its name is that of an object property', () => {
    expect(symbolsOf('Markdown', ['function x() {}'])).toEqual([]);
    expect(symbolsOf('constructor', ['function x() {}'])).toEqual([]);
  });

  it.each([
    ['C++', 'class basic_json // NOLINT(x); {', 'class basic_json'],
    ['C++', 'struct S /* x; y */ {', 'struct S'],
    ['C++', 'struct S /* the rest follows', 'struct S'],
    ['C++', 'namespace n // c', 'module n'],
    ['C++', 'enum class E // c', 'enum E'],
    ['C++', 'int renew(int by) // not yet; see below', 'function renew'],
    ['C++', 'class API_EXPORT Lease // c', 'class Lease'],
    ['C++', 'class C final : D { // c', 'class C'],
    ['C++', 'struct S final {', 'struct S'],
    ['C++', 'class API final', 'class API'],
    ['C', 'union value /* c */', 'struct value'],
    ['TypeScript', 'export interface Clock // c', 'interface Clock'],
    ['TypeScript', 'export type Ids // c', 'type Ids'],
    ['TypeScript', 'let counter // c', 'variable counter'],
    ['TypeScript', "const home = 'https://x'; // c", 'constant home'],
    ['Protocol Buffer', 'message Lease // c', 'struct Lease'],
    ['Go', 'type Lease struct { // c', 'struct Lease'],
  ])('of %s are found despite a comment after them or final: %s', (language, line, definition) => {
    expect(symbolsOf(language, [line, '{'])).toEqual([`1 ${definition}`]);
  });

  it('of C++ are none where a line begins with a specifier of the function before', () => {
    const lines = ['struct Lease {', '  auto renew(int by)', '  noexcept(renew(Key {}))', '  { return by; }'];
    expect(symbolsOf('C++', lines)).toEqual(['1 struct Lease']);
  });

  it.each([
    ['Java', ['class A {', '  int count // c', '    = 1;'], ['1 class A', '2 field count']],
    ['Java', ['enum A {', '  RED // c', '}'], ['1 enum A', '2 constant RED']],
    ['Rust', ['enum A {', '    Red // c', '}'], ['1 enum A', '2 constant Red']],
    ['C#', ['class A', '{', '    public string Key // c', '    {'], ['1 class A', '3 field Key']],
    [
      'Python',
      ['class A:  # c', '    key: int  # c', '    def f(self):  # c'],
      ['1 class A', '2 field key', '3 method f'],
    ],
  ])('of members in %s are found despite a comment after them', (language, lines, definitions) => {
    expect(symbolsOf(language, lines)).toEqual(definitions);
  });

  it('may have non-ASCII names', () => {
    expect(symbolsOf('Go', ['func Größe() {}', 'func 大きさ() {}'])).toEqual([
      '1 function Größe',
      '2 function 大きさ',
    ]);
  });

  it('are not found on lines of more than 512 characters', () => {
    const line = `function f(${'a, '.repeat(200)}) {}`;
    expect(symbolsOf('JavaScript', [line, 'function g() {}'])).toEqual(['2 function g']);
  });

  it('are found on a last line without a newline, but not after an unclosed comment', () => {
    expect(symbolsOf('Go', ['func a() {}'])).toEqual(['1 function a']);
    expect(symbolsOf('Go', ['/* never closed', 'func a() {}'])).toEqual([]);
    expect(symbolsOf('Go', ['/* closed */', 'func a() {}'])).toEqual(['2 function a']);
    expect(symbolsOf('Go', [])).toEqual([]);
  });

  it('have kinds that fit into four bits', () => {
    expect(symbolKinds.length).toBeLessThanOrEqual(16);
  });

  // The patterns run on untrusted text: none may take long on any text.
  it('of hostile text are extracted in limited time', () => {
    const words = [
      'export default async ',
      'public static final ',
      'a a ',
      'pub(crate) ',
      'template <',
      '((((',
      'const a:',
      'A<B, ',
      'x = ',
      'typedef int ',
    ];
    for (const language of Object.keys(symbolRules)) {
      for (const word of words) {
        const line = `${word.repeat(Math.ceil(500 / word.length)).slice(0, 500)}\n`;
        const text = Buffer.from(`class A {\n${line.repeat(200)}`);
        const started = process.cpuUsage();
        extraction.each(language, text, () => undefined);
        const { user, system } = process.cpuUsage(started);
        expect((user + system) / 1000, `${language}: ${word}`).toBeLessThan(300);
      }
    }
  });
});

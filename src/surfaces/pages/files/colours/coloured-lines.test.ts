import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { colouredLines } from './coloured-lines.ts';
import { syntaxes } from './syntax.ts';

/** Shows colours as letters under the text: `k` for a keyword, `s` for a string, a dot for other text. */
function drawn(language: string, text: string, from = 0): readonly string[] {
  return colouredLines(language, text, from).map((line) =>
    line.map((part) => (part.colour?.[0] ?? '.').repeat(part.text.length)).join(''),
  );
}

describe('the colours of code', () => {
  it.each([
    ['TypeScript', "const a = 'it\\'s'; // x", 'kkkkk.....sssssss..cccc'],
    ['TypeScript', 'x1 = 0xff /* a */ + 2', '.....nnnn.ccccccc...n'],
    ['TypeScript', 'return `a ${b}`;', 'kkkkkk.ssssssss.'],
    ['Rust', "fn f<'a>(c: &'a str) { 'x' }", 'kk..............kkk....sss..'],
    ['Python', 'def f(): # no', 'kkk......cccc'],
    ['Shell', 'echo $# ${a#b} # yes', '...............ccccc'],
    ['YAML', 'a: x#y # no', '.......cccc'],
    ['SQL', "Select 'a''b' -- x", 'kkkkkk.ssssss.cccc'],
    ['C', '#include <x>', 'kkkkkkkk....'],
    ['PHP', '# a', 'ccc'],
    ['HTML', '<a href="x">don\'t</a>', 'kk......sss......kkk.'],
    ['Go', 'π := "a\\"b"', '.....ssssss'],
    ['Text', 'const a', '.......'],
  ])('of %s: %s', (language, text, expected) => {
    expect(drawn(language, text)).toEqual([expected]);
  });

  it('of a comment or string that begins above the first line shown', () => {
    const text = '/* a\nif b */ if\n`c\nif\n` if';
    expect(drawn('TypeScript', text, 5)).toEqual(['ccccccc.kk', 'ss', 'ss', 's.kk']);
    expect(drawn('TypeScript', text, text.indexOf('if\n`'))).toEqual(['kk', 'ss', 'ss', 's.kk']);
  });

  it('end with the line if a string is not closed', () => {
    expect(drawn('Java', 'a = "b\nif')).toEqual(['....ss', 'kk']);
  });

  it('are left out for a large file and a long line', () => {
    expect(drawn('Go', `if ${'x'.repeat(200_000)}`)[0]).not.toContain('k');
    expect(drawn('Go', `if ${'x'.repeat(5_000)}\nif`)).toEqual(['.'.repeat(5_003), 'kk']);
  });

  it('never change the text, whatever it is', () => {
    const character = fc.constantFrom(...('"\'`/*#<>-[]{}\\\n aif1@$é😀'.match(/./gsu) ?? []));
    const text = fc.array(character, { maxLength: 200 }).map((all) => all.join(''));
    const language = fc.constantFrom(...syntaxes.keys());
    fc.assert(
      fc.property(text, language, fc.nat(200), (whole, syntax, from) => {
        const lines = colouredLines(syntax, whole, from);
        const shown = lines.map((line) => line.map((part) => part.text).join('')).join('\n');
        expect(shown).toBe(whole.slice(from));
      }),
    );
  });

  it('take no longer for text that is hard for regular expressions', () => {
    const pieces = ['_', '(', 'a(', '<a ', '{"', '/ ', "'", '\\', '"""', 'int a ', '/*', '`${'];
    for (const language of ['TypeScript', 'Rust', 'SQL', 'HTML', 'Shell']) {
      for (const piece of pieces) {
        const text = piece.repeat(Math.floor(20_000 / piece.length));
        expect(colouredLines(language, text, 0).length).toBeGreaterThan(0);
      }
    }
  });
});

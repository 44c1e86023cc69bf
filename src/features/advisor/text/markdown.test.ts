import { describe, expect, it } from 'vitest';
import { shownLines } from '../evidence/place-source.ts';
import { inlineCode, plainText } from './markdown.ts';

describe('third-party text', () => {
  it('is truncated in over-long lines', () => {
    expect(shownLines(['x'.repeat(1000)])).toBe(`${'x'.repeat(400)}…`);
  });

  it('stays inside inline code on one line', () => {
    expect(inlineCode('a`b\nc')).toBe("`a'b c`");
  });

  it('adds no markup, image or link as prose', () => {
    expect(plainText('see https&#58;//evil, a&commat;b & c')).toBe(
      String.raw`see https\&#58;//evil, a\&commat;b & c`,
    );
    expect(plainText('![x](https://evil.example/?q=1) <b>*hi*</b>')).toBe(
      '`![x](https://evil.example/?q=1)` `<b>*hi*</b>`',
    );
  });

  it.each([
    ['Add `run all`, (`stop`) and a*b', 'Add `run all`, (`stop`) and `a*b`'],
    ['[Form] use a `tick', "`[Form]` use a `'tick`"],
    ['# a _b_ it`s `x``y`', "\\# a \\_b\\_ `it's 'x''y'`"],
  ])('keeps code, and has no escapes where code does: %s', (text, shown) => {
    expect(plainText(text)).toBe(shown);
  });

  it.each([
    'evil.example',
    '//evil.example/x',
    'http:/x.y',
    'mailto:a@b',
    'javascript:alert(1)',
    '192.0.2.1',
  ])('lets no client link %s', (text) => {
    expect(plainText(`see ${text} now`)).toBe(`see \`${text}\` now`);
  });

  it.each(['_', '__', '1', '*', '~', '~~'])('adds no link for an address after %s', (before) => {
    for (const address of ['https://evil.example/?q=x', 'www.evil.example/login']) {
      expect(plainText(`fix ${before}${address}`)).toBe(`fix \`${before}${address}\``);
    }
  });
});

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
    expect(plainText('see https&#58;//evil.example, a&commat;b & c')).toBe(
      String.raw`see https\&#58;//evil.example, a\&commat;b & c`,
    );
    expect(plainText('![x](https://evil.example/?q=1) <b>*hi*</b>')).toBe(
      String.raw`!\[x\](` + '`https://evil.example/?q=1)`' + String.raw` \<b\>\*hi\*\</b\>`,
    );
  });

  it.each(['_', '__', '1', '*', '~', '~~'])('adds no link for an address after %s', (before) => {
    for (const address of ['https://evil.example/?q=x', 'www.evil.example/login']) {
      const text = plainText(`fix ${before}${address}`);
      expect(text.slice(-address.length - 2)).toBe(`\`${address}\``);
    }
  });
});

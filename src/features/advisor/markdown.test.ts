import { describe, expect, it } from 'vitest';
import { excerptOf } from './excerpt.ts';
import { inlineCode, plainText } from './markdown.ts';

describe('third-party text', () => {
  it('loses shared indentation and is truncated in over-long lines', () => {
    expect(excerptOf(['    a', '', '      b'])).toBe('a\n\n  b');
    expect(excerptOf(['x'.repeat(1000)])).toBe(`${'x'.repeat(400)}…`);
  });

  it('stays inside inline code on one line', () => {
    expect(inlineCode('a`b\nc')).toBe("`a'b c`");
  });

  it('adds no markup, image or link as prose', () => {
    expect(plainText('![x](https://evil.example/?q=1) <b>*hi*</b>')).toBe(
      String.raw`\!\[x\]\(` + '`https://evil.example/?q=1)`' + String.raw` \<b\>\*hi\*\</b\>`,
    );
  });
});

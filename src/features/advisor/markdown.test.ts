import { describe, expect, it } from 'vitest';
import { excerptOf, visibleText } from './excerpt.ts';
import { fenced, inlineCode, plainText } from './markdown.ts';

describe('third-party text', () => {
  it.each([
    ['bidirectional overrides', 'a\u202Eb\u2066c\u2069'],
    ['zero-width characters', 'a\u200Bb\u200D\u2060c\uFEFF'],
    ['tag characters', 'a\u{E0041}\u{E007F}bc'],
    ['control characters', 'a\u0000\u001B\u0085bc\u007F'],
    ['soft hyphens and fillers', 'a\u00ADb\u3164c\uFE0F'],
    ['line separators', 'a\u2028b\u2029c'],
  ])('loses its %s', (_, text) => {
    expect(visibleText(text)).toBe('abc');
  });

  it('keeps tabs, newlines and every script', () => {
    expect(visibleText('\tä\r\nб 漢\n')).toBe('\tä\nб 漢\n');
  });

  it('loses the indentation its lines share, and the length of over-long ones', () => {
    expect(excerptOf(['    a', '', '      b'])).toBe('a\n\n  b');
    expect(excerptOf(['x'.repeat(1000)])).toBe(`${'x'.repeat(400)}…`);
  });

  it.each(['```', '``` \n```', '`````', 'a ```` b', '~~~\n```'])('cannot close its fence: %j', (text) => {
    const lines = fenced(text, 'Go').split('\n');
    const fence = /^`+/u.exec(lines[0] ?? '')?.[0] ?? '';
    expect(lines.at(-1)).toBe(fence);
    expect(lines.slice(1, -1).some((line) => line.includes(fence))).toBe(false);
  });

  it.each([
    ['TypeScript', '```typescript'],
    ['C++', '```cpp'],
    ['Shell', '```sh'],
    ['Text', '```'],
    ["Cap'n Proto", '```'],
  ])('is tagged for highlighters: %s', (language, fence) => {
    expect(fenced('x', language).split('\n')[0]).toBe(fence);
  });

  it('stays inside inline code on one line', () => {
    expect(inlineCode('a`b\nc')).toBe("`a'b c`");
  });

  it('makes no markup, image or link as prose', () => {
    expect(plainText('![x](https://evil.example/?q=1) <b>*hi*</b>')).toBe(
      String.raw`\!\[x\]\(` + '`https://evil.example/?q=1)`' + String.raw` \<b\>\*hi\*\</b\>`,
    );
  });
});

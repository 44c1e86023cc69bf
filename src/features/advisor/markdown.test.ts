import { describe, expect, it } from 'vitest';
import { excerptOf } from './excerpt.ts';
import { fenced, inlineCode, plainText } from './markdown.ts';

describe('third-party text', () => {
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

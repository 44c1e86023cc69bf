import { describe, expect, it } from 'vitest';
import { foreignText } from './foreign-text.ts';

describe('untrusted text in a line of a page', () => {
  it('keeps ordinary text', () => {
    expect(foreignText('Zoë’s Editor 漢字 👩', 80)).toBe('Zoë’s Editor 漢字 👩');
  });

  it.each([
    ['bidirectional overrides', 'Claude\u202E edoC'],
    ['zero-width characters', 'Clau\u200Bde edoC'],
    ['lines', ' Claude\n\tedoC '],
  ])('is cleaned of %s', (_, text) => {
    expect(foreignText(text, 80)).toBe('Claude edoC');
  });

  it('is truncated between characters', () => {
    expect(foreignText('👩'.repeat(100), 3)).toBe('👩👩…');
    expect(foreignText('abc', 3)).toBe('abc');
  });
});

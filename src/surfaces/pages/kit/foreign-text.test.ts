import { describe, expect, it } from 'vitest';
import { foreignText } from './foreign-text.ts';

describe('text of strangers in a line of a page', () => {
  it('keeps what people write', () => {
    expect(foreignText('Zoë’s Editor 漢字 👩', 80)).toBe('Zoë’s Editor 漢字 👩');
  });

  it.each([
    ['bidirectional overrides', 'Claude\u202E edoC'],
    ['zero-width characters', 'Clau\u200Bde edoC'],
    ['lines', ' Claude\n\tedoC '],
  ])('loses its %s', (_, text) => {
    expect(foreignText(text, 80)).toBe('Claude edoC');
  });

  it('is cut between characters', () => {
    expect(foreignText('👩'.repeat(100), 3)).toBe('👩👩…');
    expect(foreignText('abc', 3)).toBe('abc');
  });
});

import { describe, expect, it } from 'vitest';
import { nameText } from './name.ts';

describe('a name on a page', () => {
  it.each(['שלום עולם', 'family 👩‍👩‍👧', '1️⃣ 🏳️‍🌈 ok', 'Ünïcode', 'a b'])('keeps %s', (text) => {
    expect(nameText(text)).toBe(text);
  });

  it.each([
    ['a\u202Eb', 'ab'],
    ['a\u200Bb', 'ab'],
    ['a\nb\t c', 'a b c'],
    ['a\u200Db', 'ab'],
  ])('loses what hides or reorders text: %j', (text, shown) => {
    expect(nameText(text)).toBe(shown);
  });

  it('is shortened between characters, never inside of one', () => {
    expect(nameText('x'.repeat(600))).toHaveLength(500);
    expect(nameText('👩‍👩‍👧'.repeat(20), 3)).toBe('👩‍👩‍👧👩‍👩‍👧…');
  });
});

import { expect, it } from 'vitest';
import { rarities, rarity, rarityAmong } from './rarity.ts';

it('weighs a word the more the fewer texts have it', () => {
  const texts = [new Set(['a', 'b']), new Set(['a']), new Set(['a', 'c'])];
  const weights = rarities(['a', 'b', 'none'], texts);
  expect(weights.get('a')).toBe(rarity(3, 3));
  expect(weights.get('b')).toBeGreaterThan(weights.get('a') ?? 0);
  expect(weights.get('none')).toBeGreaterThan(weights.get('b') ?? 0);
  const rarityOf = rarityAmong(texts);
  for (const [word, weight] of weights) expect(rarityOf(word)).toBe(weight);
});

/** Returns the weight of a word that so many of some texts have: the fewer have it, the more it tells. */
export function rarity(count: number, texts: number): number {
  return Math.log(1 + (texts + 1) / (count + 0.5));
}

/** Returns a function that weighs a word by how few of some texts have it. */
export function rarityAmong(texts: readonly ReadonlySet<string>[]): (word: string) => number {
  const counts = new Map<string, number>();
  for (const text of texts) for (const word of text) counts.set(word, (counts.get(word) ?? 0) + 1);
  return (word) => rarity(counts.get(word) ?? 0, texts.length);
}

/** Weighs words by how few of some texts have them. */
export function rarities(
  words: Iterable<string>,
  texts: readonly ReadonlySet<string>[],
): ReadonlyMap<string, number> {
  const counts = new Map([...words].map((word) => [word, 0]));
  for (const text of texts)
    for (const [word, count] of counts) if (text.has(word)) counts.set(word, count + 1);
  return new Map([...counts].map(([word, count]) => [word, rarity(count, texts.length)]));
}

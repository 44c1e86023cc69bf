/** The quality of one ranking for one question. */
export interface Quality {
  readonly recall5: number;
  readonly recall10: number;
  readonly recall20: number;
  readonly reciprocalRank: number;
}

export function qualityOf(ranked: readonly string[], truth: readonly string[]): Quality {
  const places = truth.map((path) => ranked.indexOf(path)).filter((place) => place >= 0);
  const recall = (top: number): number => places.filter((place) => place < top).length / truth.length;
  return {
    recall5: recall(5),
    recall10: recall(10),
    recall20: recall(20),
    reciprocalRank: places.length === 0 ? 0 : 1 / (1 + Math.min(...places)),
  };
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}

const samples = 2000;

/** Returns the mean of the differences with its interval, by the paired bootstrap. Deterministic. */
export function bootstrap(
  differences: readonly number[],
  share = 0.95,
): { mean: number; low: number; high: number } {
  const random = generator(42);
  const means = Array.from({ length: samples }, () => {
    let sum = 0;
    for (let drawn = 0; drawn < differences.length; drawn++)
      sum += differences[Math.floor(random() * differences.length)] ?? 0;
    return sum / Math.max(1, differences.length);
  }).toSorted((a, b) => a - b);
  return {
    mean: mean(differences),
    low: means[Math.floor(samples * ((1 - share) / 2))] ?? 0,
    high: means[Math.floor(samples * ((1 + share) / 2))] ?? 0,
  };
}

/** Returns a generator of numbers between 0 and 1 (mulberry32). */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

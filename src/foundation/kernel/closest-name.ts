/**
 * The known name that `word` probably meant, for "did you mean": equal but for case, or one slip away (two in a
 * longer word); `undefined` when none is near.
 */
export function closestName(word: string, candidates: readonly string[]): string | undefined {
  const wanted = word.toLowerCase();
  const tolerance = wanted.length <= 4 ? 1 : 2;
  const judged = candidates.map((candidate) => ({
    candidate,
    slips: slipsBetween(wanted, candidate.toLowerCase()),
  }));
  const best = judged.toSorted((a, b) => a.slips - b.slips)[0];
  return best !== undefined && best.slips <= tolerance ? best.candidate : undefined;
}

/** Optimal string alignment: insertions, deletions, substitutions and swaps of neighbours. */
function slipsBetween(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 2) return Number.POSITIVE_INFINITY;
  let previous: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const changed = a[i - 1] === b[j - 1] ? 0 : 1;
      let cost = Math.min(at(row, j) + 1, at(next, j - 1) + 1, at(row, j - 1) + changed);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        cost = Math.min(cost, at(previous, j - 2) + 1);
      }
      next.push(cost);
    }
    previous = row;
    row = next;
  }
  return at(row, b.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY;
}

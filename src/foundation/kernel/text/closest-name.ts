/**
 * Returns the candidate that `word` probably meant, for "did you mean" hints: equal except for case, or at an edit
 * distance of one (two for words of five or more characters). Returns `undefined` if no candidate is close enough.
 */
export function closestName(word: string, candidates: readonly string[]): string | undefined {
  const wanted = word.toLowerCase();
  const tolerance = wanted.length <= 4 ? 1 : 2;
  const ranked = candidates.map((candidate) => ({
    candidate,
    distance: editDistance(wanted, candidate.toLowerCase()),
  }));
  const best = ranked.toSorted((a, b) => a.distance - b.distance)[0];
  return best !== undefined && best.distance <= tolerance ? best.candidate : undefined;
}

/** Returns the optimal string alignment distance: insertions, deletions, substitutions and swaps of neighbours. */
function editDistance(a: string, b: string): number {
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

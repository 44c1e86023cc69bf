/** The known name that `name` was probably meant to be, for "did you mean"; `undefined` when none is near. */
export function closestName(name: string, known: readonly string[]): string | undefined {
  const wanted = name.toUpperCase();
  const tolerance = Math.max(2, Math.floor(wanted.length / 4));
  const nearest = known
    .map((candidate) => ({ candidate, distance: editDistance(wanted, candidate.toUpperCase()) }))
    .reduce((best, one) => (one.distance < best.distance ? one : best));
  return nearest.distance <= tolerance ? nearest.candidate : undefined;
}

/** Levenshtein: insertions, deletions and substitutions, one row at a time. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let index = 0; index < a.length; index += 1) {
    const next = [index + 1];
    for (let column = 1; column <= b.length; column += 1) {
      const [left = 0, above = 0, diagonal = 0] = [next[column - 1], row[column], row[column - 1]];
      next.push(Math.min(left + 1, above + 1, diagonal + (a[index] === b[column - 1] ? 0 : 1)));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

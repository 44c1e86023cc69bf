/** A commit and the number of the list that it is from. */
export interface Merged<Commit> {
  readonly from: number;
  readonly commit: Commit;
}

/**
 * Merges lists of commits, each newest first, into one: the newest of the first ones is taken each time. Each list
 * keeps its order, so that the first commits of a merge are the same however many more the lists have.
 */
export function mergeHistories<Commit extends { readonly time: number }>(
  lists: readonly (readonly Commit[])[],
  max: number,
): readonly Merged<Commit>[] {
  const next = lists.map(() => 0);
  const merged: Merged<Commit>[] = [];
  while (merged.length < max) {
    let best: Merged<Commit> | undefined;
    for (const [from, list] of lists.entries()) {
      const commit = list[next[from] ?? 0];
      if (commit !== undefined && (best === undefined || commit.time > best.commit.time))
        best = { from, commit };
    }
    if (best === undefined) break;
    merged.push(best);
    next[best.from] = (next[best.from] ?? 0) + 1;
  }
  return merged;
}

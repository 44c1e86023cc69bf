/** A commit's id as people are shown it; addresses and data carry the whole of it. */
export function shortCommit(commit: string): string {
  return commit.slice(0, 12);
}

/** Returns the abbreviated id of a commit for display. URLs and data contain the full id. */
export function shortCommit(commit: string): string {
  return commit.slice(0, 12);
}

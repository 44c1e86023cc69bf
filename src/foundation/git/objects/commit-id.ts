/** A commit id as a caller may write it: lower case, complete or shortened to 7 or more digits. */
export const commitPrefix = /^[\da-f]{7,64}$/;

export function isCommitPrefix(text: string): boolean {
  return commitPrefix.test(text);
}

/** Returns whether the text is a complete object id: SHA-1 or SHA-256. */
export function isObjectId(text: string): boolean {
  return /^(?:[\da-f]{40}|[\da-f]{64})$/.test(text);
}

/** A commit as a caller may name it: its id in lower case, whole or shortened to 7 digits or more. */
export const commitPrefix = /^[\da-f]{7,64}$/;

export function isCommitPrefix(text: string): boolean {
  return commitPrefix.test(text);
}

/** A whole id as Git writes it: SHA-1, or SHA-256. */
export function isObjectId(text: string): boolean {
  return /^(?:[\da-f]{40}|[\da-f]{64})$/.test(text);
}

import { invalidField } from '../../kernel/wire/invalid-field.ts';
import { GitError } from '../process/git-error.ts';

/** A commit id as a caller may write it: lower case, complete or shortened to 7 or more digits. */
export const commitPrefix = /^[\da-f]{7,64}$/;

export function isCommitPrefix(text: string): boolean {
  return commitPrefix.test(text);
}

/** Returns whether the text is a complete object id: SHA-1 or SHA-256. */
export function isObjectId(text: string): boolean {
  return /^(?:[\da-f]{40}|[\da-f]{64})$/.test(text);
}

/** Returns a complete object id, as Git may take it from this program. @throws GitError for any other text */
export function fullId(text: string): string {
  if (isObjectId(text)) return text;
  throw new GitError('failed', 'A commit must be given by its full id.');
}

/**
 * Checks the id of a commit. Branch names are refused, because they move and because Git must not receive revisions
 * from callers. @throws InvalidInput
 */
export function checkedCommit(text: string): string {
  const id = text.toLowerCase();
  if (isCommitPrefix(id)) return id;
  throw invalidField('commit', 'must be a commit id of 7 to 64 hexadecimal digits, not a branch or tag');
}

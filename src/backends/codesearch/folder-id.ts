import { InvalidInput } from '../../foundation/kernel/errors.ts';

/** Returns whether an id, which may come from the network, is a safe folder name and never a path. */
export function isFolderId(id: string): boolean {
  return /^[\w-]{1,128}$/.test(id);
}

/** Returns the id unchanged. @throws InvalidInput if it is not a safe folder name */
export function checkedFolderId(id: string): string {
  if (isFolderId(id)) return id;
  throw new InvalidInput('An id may contain only letters, digits, - and _, and at most 128 characters.');
}

import { InvalidInput } from '../../foundation/kernel/errors.ts';

/** Whether an id, which may come from the other side of the network, can be the name of a folder: never a path. */
export function isFolderId(id: string): boolean {
  return /^[\w-]{1,128}$/.test(id);
}

/** @throws InvalidInput for what cannot be the name of a folder */
export function checkedFolderId(id: string): string {
  if (isFolderId(id)) return id;
  throw new InvalidInput('An id has nothing but letters, digits, - and _ in it, at most 128 of them.');
}

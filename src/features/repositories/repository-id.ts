import type { RepositoryId } from '../../foundation/kernel/ids.ts';

const pattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Whether text from outside can be an id at all; anything else is an unknown id and not worth asking the database. */
export function isRepositoryId(text: string): text is RepositoryId {
  return pattern.test(text);
}

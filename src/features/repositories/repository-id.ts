import { isUuid, type RepositoryId } from '../../foundation/kernel/ids.ts';

/** Whether text from outside may be the id of a repository. */
export function isRepositoryId(text: string): text is RepositoryId {
  return isUuid(text);
}

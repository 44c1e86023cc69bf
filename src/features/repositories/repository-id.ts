import { isUuid, type RepositoryId } from '../../foundation/kernel/ids.ts';

/** Returns whether untrusted text is a valid repository id. */
export function isRepositoryId(text: string): text is RepositoryId {
  return isUuid(text);
}

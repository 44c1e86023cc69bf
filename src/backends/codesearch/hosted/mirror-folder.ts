import { join } from 'node:path';
import { checkedFolderId } from '../folder-id.ts';

/**
 * Returns the folder of the bare mirror of a repository under `root`.
 * @throws InvalidInput for an id that is not a safe folder name
 */
export function hostedMirror(root: string, organizationId: string, repositoryId: string): string {
  return join(root, checkedFolderId(organizationId), `${checkedFolderId(repositoryId)}.git`);
}

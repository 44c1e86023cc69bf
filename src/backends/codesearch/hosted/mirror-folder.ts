import { join } from 'node:path';
import { checkedFolderId } from '../folder-id.ts';

/**
 * The bare mirror of a repository under `root`.
 * @throws InvalidInput for an id that cannot be the name of a folder
 */
export function hostedMirror(root: string, organizationId: string, repositoryId: string): string {
  return join(root, checkedFolderId(organizationId), `${checkedFolderId(repositoryId)}.git`);
}

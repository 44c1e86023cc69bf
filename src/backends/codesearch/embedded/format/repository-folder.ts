import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkedFolderId, isFolderId } from '../../folder-id.ts';
import { isAbsent } from './durable-files.ts';

/** `<root>/<organization>/<repository>/`. @throws InvalidInput for an id that cannot be the name of a folder */
export function organizationFolder(root: string, organizationId: string): string {
  return join(root, checkedFolderId(organizationId));
}

export function repositoryFolder(root: string, organizationId: string, repositoryId: string): string {
  return join(organizationFolder(root, organizationId), checkedFolderId(repositoryId));
}

/** The names of the folders inside `folder`, in order; none when it does not exist. */
export function foldersIn(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && isFolderId(entry.name))
      .map((entry) => entry.name)
      .toSorted();
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
}

/**
 * A file that every change of an organization's manifests rewrites, so that readers need one look a question to see
 * that nothing changed. Its content is new each time: times of files are too coarse for two changes in a row. Only a
 * hint: readers also look at the manifests themselves once a second.
 */
const NEWS = 'news';

export function announceChange(root: string, organizationId: string): void {
  writeFileSync(join(organizationFolder(root, organizationId), NEWS), randomUUID(), { mode: 0o600 });
}

/** Changes with every announcement; empty when there was none. */
export function lastAnnouncement(root: string, organizationId: string): string {
  try {
    return readFileSync(join(organizationFolder(root, organizationId), NEWS), 'latin1');
  } catch (error) {
    if (isAbsent(error)) return '';
    throw error;
  }
}

import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkedFolderId, isFolderId } from '../../folder-id.ts';
import { isAbsent } from './durable-files.ts';

/**
 * Returns the folder of an organization: `<root>/<organization>/`, which contains a folder per repository. @throws
 * InvalidInput for an id that is not a safe folder name
 */
export function organizationFolder(root: string, organizationId: string): string {
  return join(root, checkedFolderId(organizationId));
}

export function repositoryFolder(root: string, organizationId: string, repositoryId: string): string {
  return join(organizationFolder(root, organizationId), checkedFolderId(repositoryId));
}

/** Returns the sorted names of the folders in `folder`; empty if it does not exist. */
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
 * Name of a file that is rewritten with every change of a manifest of the organization, so that readers check a
 * single file per request. Its content is random, because file times are too coarse for two changes in a row. It is
 * only a hint: readers also check the manifests themselves once a second.
 */
const changeFileName = 'news';

/** Announces a change of the indexes of an organization to its readers. */
export function announceChange(root: string, organizationId: string): void {
  writeFileSync(join(organizationFolder(root, organizationId), changeFileName), randomUUID(), {
    mode: 0o600,
  });
}

/** Returns a value that changes with every announcement; empty if there was none. */
export function lastAnnouncement(root: string, organizationId: string): string {
  try {
    return readFileSync(join(organizationFolder(root, organizationId), changeFileName), 'latin1');
  } catch (error) {
    if (isAbsent(error)) return '';
    throw error;
  }
}

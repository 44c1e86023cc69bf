import { existsSync, rmSync } from 'node:fs';
import { deleteManifest } from '../format/manifest.ts';
import { announceChange } from '../format/repository-folder.ts';
import { breakWriteLock } from '../format/write-lock.ts';

/**
 * Removes an index from results first, then from disk. A running writer finds its lock broken and gives up;
 * `maxRetries` removes what it writes meanwhile.
 */
export function removeIndex(root: string, organizationId: string, folder: string): void {
  if (!existsSync(folder)) return;
  deleteManifest(folder);
  breakWriteLock(folder);
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  announceChange(root, organizationId);
}

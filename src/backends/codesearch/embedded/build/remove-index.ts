import { rmSync } from 'node:fs';
import { deleteManifest } from '../format/manifest.ts';
import { announceChange } from '../format/repository-folder.ts';
import { breakWriteLock } from '../format/write-lock.ts';

/** Out of answers first, then off the disk. A writer at work finds its lock broken and gives up. */
export function removeIndex(root: string, organizationId: string, folder: string): void {
  deleteManifest(folder);
  breakWriteLock(folder);
  rmSync(folder, { recursive: true, force: true });
  announceChange(root, organizationId, 0);
}

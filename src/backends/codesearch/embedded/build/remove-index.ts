import { existsSync, rmSync } from 'node:fs';
import { deleteManifest } from '../format/manifest.ts';
import { announceChange } from '../format/repository-folder.ts';
import { breakWriteLock } from '../format/write-lock.ts';

/**
 * Out of answers first, then off the disk. A writer at work finds its lock broken and gives up; what it writes
 * meanwhile is removed in further tries.
 */
export function removeIndex(root: string, organizationId: string, folder: string): void {
  if (!existsSync(folder)) return;
  deleteManifest(folder);
  breakWriteLock(folder);
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  announceChange(root, organizationId);
}

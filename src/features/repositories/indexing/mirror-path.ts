import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { GitError } from '../../../foundation/git/process/git-error.ts';
import { dataFolder } from '../../../foundation/kernel/data-folder.ts';
import type { RepositoryId } from '../../../foundation/kernel/ids.ts';
import type { DataScope } from '../../../foundation/kernel/org-scope.ts';
import { pathExists } from '../../../foundation/kernel/path-exists.ts';

/**
 * Returns the path of the bare mirror. Each organization has a folder, so that an id alone never reaches another
 * one's code.
 */
export function mirrorPath(dataDir: string, scope: DataScope, id: RepositoryId): string {
  return join(dataFolder(dataDir).repositories, scope.organizationId, `${id}.git`);
}

/**
 * Returns whether the mirror exists. A clone is moved into place when it is complete, so an existing mirror was once
 * valid.
 */
export function hasMirror(gitDir: string): Promise<boolean> {
  return pathExists(gitDir);
}

/**
 * Deletes a mirror after an error of damage. A fetch cannot repair missing objects; without the mirror, the next sync
 * clones.
 */
export async function dropDamagedMirror(gitDir: string, error: unknown): Promise<void> {
  if (error instanceof GitError && error.reason === 'damaged') await removeMirror(gitDir);
}

export async function removeMirror(gitDir: string): Promise<void> {
  await rm(gitDir, { recursive: true, force: true });
}

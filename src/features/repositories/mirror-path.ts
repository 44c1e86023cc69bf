import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { GitError } from '../../foundation/git/git-error.ts';
import { dataFolder } from '../../foundation/kernel/data-folder.ts';
import type { RepositoryId } from '../../foundation/kernel/ids.ts';
import type { OrgScope } from '../../foundation/kernel/org-scope.ts';
import { pathExists } from '../../foundation/kernel/path-exists.ts';

/** The bare mirror of a repository: a folder an organization, so that no id alone leads into another one's code. */
export function mirrorPath(dataDir: string, scope: OrgScope, id: RepositoryId): string {
  return join(dataFolder(dataDir).repositories, scope.organizationId, `${id}.git`);
}

/** A clone appears whole or not at all, so a mirror that is there was good once. */
export function hasMirror(gitDir: string): Promise<boolean> {
  return pathExists(gitDir);
}

/** A mirror that lacks objects cannot be mended by fetching more: without it the next sync copies everything anew. */
export async function dropDamagedMirror(gitDir: string, error: unknown): Promise<void> {
  if (error instanceof GitError && error.reason === 'damaged') await removeMirror(gitDir);
}

export async function removeMirror(gitDir: string): Promise<void> {
  await rm(gitDir, { recursive: true, force: true });
}

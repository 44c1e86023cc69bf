import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { dataFolder } from '../../foundation/kernel/data-folder.ts';
import { errorCode } from '../../foundation/kernel/error-code.ts';
import type { MirrorTarget } from './mirror-target.ts';

/**
 * Returns the path of the local copy on which commits of a target are written, in the folder of its organization. It
 * is a cache.
 */
export function copyPath(dataDir: string, target: Pick<MirrorTarget, 'id' | 'organizationId'>): string {
  return join(dataFolder(dataDir).mirror, target.organizationId, `${target.id}.git`);
}

/** Lists the copies on this host with the ids of their targets, including leftovers of killed clones. */
export async function listCopies(
  dataDir: string,
): Promise<readonly { readonly path: string; readonly targetId: string }[]> {
  const root = dataFolder(dataDir).mirror;
  const found = [];
  for (const organization of await entriesOf(root)) {
    for (const name of await entriesOf(join(root, organization))) {
      found.push({ path: join(root, organization, name), targetId: name.replace(/\.git(?:\.[^]*)?$/, '') });
    }
  }
  return found;
}

export async function removeCopy(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
}

async function entriesOf(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return [];
    throw error;
  }
}

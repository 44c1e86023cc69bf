import { randomBytes } from 'node:crypto';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { errorCode } from '../kernel/error-code.ts';

/** A bare repository under construction lies beside its place under this mark, and gets its name when it is whole. */
const mark = '.tmp-';

const removal = { recursive: true, force: true, maxRetries: 10, retryDelay: 50 } as const;

/**
 * Builds a mirror, or a copy to write on, in a folder of its own and puts it in place by a rename, so that a killed clone leaves nothing half
 * behind. What an earlier attempt left is removed first: a repository has one writer at a time.
 */
export async function buildBare<T>(gitDir: string, build: (folder: string) => Promise<T>): Promise<T> {
  const parent = dirname(gitDir);
  // For this account alone, wherever the data folder was made with other rights.
  await mkdir(parent, { recursive: true, mode: 0o700 });
  await removeLeftovers(parent, (name) => name.startsWith(`${basename(gitDir)}${mark}`));
  const folder = `${gitDir}${mark}${randomBytes(6).toString('hex')}`;
  try {
    await mkdir(folder, { mode: 0o700 });
    const result = await build(folder);
    await putInPlace(folder, gitDir);
    return result;
  } finally {
    await rm(folder, removal);
  }
}

/** Removes what killed clones left in a folder of bare repositories, once nothing can be writing to it any more. */
export async function sweepLeftovers(folder: string, olderThanMs: number = 24 * 3_600_000): Promise<void> {
  const before = Date.now() - olderThanMs;
  await removeLeftovers(folder, async (name) => {
    const { mtimeMs } = await stat(join(folder, name));
    return name.includes(mark) && mtimeMs < before;
  });
}

async function removeLeftovers(
  parent: string,
  isLeftover: (name: string) => boolean | Promise<boolean>,
): Promise<void> {
  for (const name of await readdir(parent).catch(() => [])) {
    if (await isLeftover(name)) await rm(join(parent, name), removal);
  }
}

/** Git has synced the files; their names are synced here, before the repository gets its own. */
async function putInPlace(folder: string, gitDir: string): Promise<void> {
  for (const part of ['objects/pack', 'objects', 'refs', '.']) await syncFolder(join(folder, part));
  const former = `${gitDir}${mark}${randomBytes(6).toString('hex')}`;
  await rename(gitDir, former).catch(ignoreAbsence);
  await rename(folder, gitDir);
  await syncFolder(dirname(gitDir));
  await rm(former, removal);
}

async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function ignoreAbsence(error: unknown): void {
  if (errorCode(error) !== 'ENOENT') throw error;
}

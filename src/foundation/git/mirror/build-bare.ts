import { randomBytes } from 'node:crypto';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { errorCode } from '../../kernel/error-code.ts';

/** Mark in the name of an unfinished bare repository. It is built next to its final path and renamed when complete. */
const mark = '.tmp-';

const removal = { recursive: true, force: true, maxRetries: 10, retryDelay: 50 } as const;

/**
 * Builds a bare repository in a temporary folder and moves it to its path by a rename, so that a killed clone leaves
 * nothing incomplete at that path. Leftovers of earlier attempts are removed first: a repository has only one writer
 * at a time.
 */
export async function buildBare<T>(gitDir: string, build: (folder: string) => Promise<T>): Promise<T> {
  const parent = dirname(gitDir);
  // Accessible only to this account, even if the data folder was created with other permissions.
  await mkdir(parent, { recursive: true, mode: 0o700 });
  await removeLeftovers(parent, (name) => name.startsWith(`${basename(gitDir)}${mark}`));
  const folder = `${gitDir}${mark}${randomBytes(6).toString('hex')}`;
  try {
    await mkdir(folder, { mode: 0o700 });
    const result = await build(folder);
    await moveToPath(folder, gitDir);
    return result;
  } finally {
    await rm(folder, removal);
  }
}

/**
 * Removes leftovers of killed clones from a folder of bare repositories, once they are too old for an active writer.
 */
export async function deleteLeftovers(folder: string, olderThanMs: number = 24 * 3_600_000): Promise<void> {
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

/**
 * Moves a complete repository to its path. Git has synced the files; the folder entries are synced here before the
 * rename.
 */
async function moveToPath(folder: string, gitDir: string): Promise<void> {
  for (const part of ['objects/pack', 'objects', 'refs', '.']) await syncFolder(join(folder, part));
  const former = `${gitDir}${mark}${randomBytes(6).toString('hex')}`;
  await rename(gitDir, former).catch(ignoreMissing);
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

function ignoreMissing(error: unknown): void {
  if (errorCode(error) !== 'ENOENT') throw error;
}

import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { gitOutput } from '../process/spawn-git.ts';

/** Maximum number of packs. Each fetch adds one, and each pack slows down every object look-up. */
const defaultMaxPacks = 10;

/**
 * Merges small packs once there are many, so that their number stays logarithmic in the number of fetches. Commits
 * that a force push replaced are kept, and open readers find their objects in the new pack.
 */
export async function mergePacks(
  gitDir: string,
  signal: AbortSignal,
  maxPacks: number = defaultMaxPacks,
): Promise<void> {
  const packs = (await packFiles(gitDir)).filter((name) => name.endsWith('.pack'));
  if (packs.length <= maxPacks) return;
  await gitOutput(gitDir, ['repack', '--geometric=2', '-d', '--quiet', '--no-write-bitmap-index'], {
    signal,
  });
}

/** Removes packs that a killed fetch left unfinished. No other process may be writing to the repository. */
export async function removeUnfinishedPacks(gitDir: string): Promise<void> {
  const unfinished = (await packFiles(gitDir)).filter((name) => /^\.?tmp[_-]/.test(name));
  await Promise.all(unfinished.map((name) => rm(join(packFolder(gitDir), name), { force: true })));
}

function packFolder(gitDir: string): string {
  return join(gitDir, 'objects', 'pack');
}

function packFiles(gitDir: string): Promise<string[]> {
  return readdir(packFolder(gitDir)).catch(() => []);
}

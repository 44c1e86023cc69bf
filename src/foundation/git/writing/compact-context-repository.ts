import { readdir, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { mergePacks } from '../mirror/packs.ts';
import { gitOutput } from '../process/spawn-git.ts';
import { stagingRefs } from './context-refs.ts';
import { copyFailure } from './copy-failure.ts';

/** Age after which a temporary file is a leftover, in milliseconds. No operation uses one file for this long. */
const leftoverAfterMs = 3_600_000;

/** Maximum number of packs. Each commit and each fetch adds one, and each pack slows down every object look-up. */
const maxPacks = 50;

/** Names of unfinished packs, objects and crash reports, and of stale locks. */
const leftover = /^\.?tmp[_-]|\.lock$|^fast_import_crash_\d+$/;

/**
 * Removes leftovers of killed processes that are older than an hour, and merges small packs once there are many.
 * Cheap if there is nothing to do. Packs are merged without a walk over the objects, so intentionally missing objects
 * are not requested.
 * @throws GitError `torn`, `disk_full`; the signal's reason.
 */
export async function compactContextRepository(gitDir: string, signal: AbortSignal): Promise<void> {
  try {
    const before = Date.now() - leftoverAfterMs;
    await removeLeftovers(gitDir, before, signal);
    await dropStagingRefs(gitDir, before, signal);
    await mergePacks(gitDir, signal, maxPacks);
  } catch (error) {
    throw await copyFailure(gitDir, error);
  }
}

async function removeLeftovers(gitDir: string, before: number, signal: AbortSignal): Promise<void> {
  const entries = await readdir(gitDir, { recursive: true });
  for (const entry of entries.filter((name) => leftover.test(basename(name)))) {
    signal.throwIfAborted();
    const file = join(gitDir, entry);
    const found = await stat(file).catch(() => undefined);
    if (found?.isFile() === true && found.mtimeMs < before) await rm(file, { force: true });
  }
}

/** Deletes the staging refs of attempts that were never pushed. */
async function dropStagingRefs(gitDir: string, before: number, signal: AbortSignal): Promise<void> {
  const stale = (await stagingRefs(gitDir)).filter(({ modified }) => modified < before);
  if (stale.length === 0) return;
  const input = stale.map(({ name }) => `delete ${name}\n`).join('');
  await gitOutput(gitDir, ['update-ref', '--stdin'], { input, signal });
}

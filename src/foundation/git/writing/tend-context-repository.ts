import { readdir, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { joinPacks } from '../packs.ts';
import { gitOutput } from '../spawn-git.ts';
import { stagingRefs } from './context-refs.ts';
import { copyFailure } from './copy-failure.ts';

/** Nothing works on one file for so long. */
const leftoverAfterMs = 3_600_000;

/** A commit and a fetch are a pack each, and each pack slows every look-up of an object. */
const maxPacks = 50;

/** Packs, objects and crash reports that were never finished, and locks whose owner is gone. */
const leftover = /^\.?tmp[_-]|\.lock$|^fast_import_crash_\d+$/;

/**
 * Removes what killed processes left an hour ago, and joins small packs once there are many; cheap when there is nothing to
 * do. Objects are only joined and never walked, so those that are missing on purpose are not asked for.
 * @throws GitError `torn`, `disk_full`; the signal's reason.
 */
export async function tendContextRepository(gitDir: string, signal: AbortSignal): Promise<void> {
  try {
    const before = Date.now() - leftoverAfterMs;
    await removeLeftovers(gitDir, before, signal);
    await dropStagingRefs(gitDir, before, signal);
    await joinPacks(gitDir, signal, maxPacks);
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

/** Of attempts that were never pushed. */
async function dropStagingRefs(gitDir: string, before: number, signal: AbortSignal): Promise<void> {
  const stale = (await stagingRefs(gitDir)).filter(({ modified }) => modified < before);
  if (stale.length === 0) return;
  const input = stale.map(({ name }) => `delete ${name}\n`).join('');
  await gitOutput(gitDir, ['update-ref', '--stdin'], { input, signal });
}

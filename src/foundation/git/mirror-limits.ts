import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { GitError } from './git-error.ts';

export interface MirrorLimits {
  /** Of the mirror on disk, also while it grows. */
  readonly maxBytes: number;
  /** Without a byte from the source. */
  readonly stallMs: number;
  /** Of the whole. */
  readonly totalMs: number;
}

export const defaultMirrorLimits: MirrorLimits = {
  maxBytes: 5 * 1024 ** 3,
  stallMs: 2 * 60_000,
  totalMs: 2 * 3_600_000,
};

const watchEveryMs = 250;

/** Runs `work` until it ends, `signal` is aborted, or a limit is passed, which aborts it with a GitError. */
export async function withinLimits<T>(
  limits: MirrorLimits,
  folder: string,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const limit = new AbortController();
  const total = setTimeout(() => limit.abort(tookTooLong(limits)), limits.totalMs);
  const watch = setInterval(() => {
    checkSize(folder, limits).catch((error: unknown) => limit.abort(error));
  }, watchEveryMs);
  try {
    const result = await work(AbortSignal.any([signal, limit.signal]));
    await checkSize(folder, limits);
    return result;
  } finally {
    clearTimeout(total);
    clearInterval(watch);
  }
}

async function checkSize(folder: string, { maxBytes }: MirrorLimits): Promise<void> {
  if ((await folderBytes(folder)) <= maxBytes) return;
  const size = maxBytes >= 1024 ** 3 ? `${Math.floor(maxBytes / 1024 ** 3)} GiB` : `${maxBytes} bytes`;
  throw new GitError('too_large', `The repository is larger than ${size}, the most that is taken.`);
}

async function folderBytes(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true }).catch(() => []);
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  // Git renames and removes temporary files meanwhile.
  const sizes = await Promise.all(
    files.map((file) =>
      stat(file).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

function tookTooLong({ totalMs }: MirrorLimits): GitError {
  return new GitError('timed_out', `The transfer took longer than ${Math.ceil(totalMs / 60_000)} minutes.`);
}

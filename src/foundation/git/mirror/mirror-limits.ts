import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { GitError } from '../process/git-error.ts';

export interface MirrorLimits {
  /** Maximum size of the mirror on disk, also while it grows. */
  readonly maxBytes: number;
  /** Maximum time without data from the source, in milliseconds. */
  readonly stallMs: number;
  /** Maximum total time, in milliseconds. */
  readonly totalMs: number;
}

export const defaultMirrorLimits: MirrorLimits = {
  maxBytes: 5 * 1024 ** 3,
  stallMs: 2 * 60_000,
  totalMs: 2 * 3_600_000,
};

/** Interval between two checks of the size, in milliseconds. */
const checkSizeMs = 250;

/** Runs `work`. Its signal is aborted when `signal` is, or with a GitError when a limit is exceeded. */
export async function withinLimits<T>(
  limits: MirrorLimits,
  folder: string,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const limit = new AbortController();
  const total = setTimeout(() => limit.abort(totalTimeExceeded(limits)), limits.totalMs);
  const watch = setInterval(() => {
    checkSize(folder, limits).catch((error: unknown) => limit.abort(error));
  }, checkSizeMs);
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
  throw new GitError('too_large', `The repository is larger than the limit of ${size}.`);
}

async function folderBytes(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true }).catch(() => []);
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  // Git may rename or remove temporary files meanwhile.
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

function totalTimeExceeded({ totalMs }: MirrorLimits): GitError {
  return new GitError('timed_out', `The transfer took longer than ${Math.ceil(totalMs / 60_000)} minutes.`);
}

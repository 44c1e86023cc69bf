import { type CheckOutcome, fail, pass, warning } from '../check.ts';

const mebibyte = 1024 * 1024;

/**
 * Recommended free bytes: a backup before a migration, a new index besides the old one and a clone at the same time.
 */
const recommended = 2_048 * mebibyte;
/** Minimum of free bytes; below it, commits of the database start to fail. */
const min = 256 * mebibyte;

/** Judges the free disk space, in bytes. */
export function judgeDisk(path: string, free: number): CheckOutcome {
  const evidence = { path, freeBytes: free };
  const seen = `${Math.floor(free / mebibyte).toLocaleString('en')} MiB are free for the data folder.`;
  const hint =
    'Free disk space, or move DATA_DIR: clones, indexes and the backup before a migration need it.';
  if (free < min) return fail(seen, hint, evidence);
  return free < recommended ? warning(seen, hint, evidence) : pass(seen, evidence);
}

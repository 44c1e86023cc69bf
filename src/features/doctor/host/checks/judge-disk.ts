import { type CheckOutcome, fail, pass, warning } from '../check.ts';

const mebibyte = 1024 * 1024;

/** A backup before a migration, a new index beside the old one and a clone all need room at once. */
const enough = 2_048 * mebibyte;
/** Below, commits of the database begin to fail. */
const least = 256 * mebibyte;

/** `free` in bytes. */
export function judgeDisk(path: string, free: number): CheckOutcome {
  const evidence = { path, freeBytes: free };
  const seen = `${Math.floor(free / mebibyte).toLocaleString('en')} MiB are free for the data folder.`;
  const hint = 'Make room, or move DATA_DIR: clones, indexes and the backup before a migration need it.';
  if (free < least) return fail(seen, hint, evidence);
  return free < enough ? warning(seen, hint, evidence) : pass(seen, evidence);
}

import { statfs } from 'node:fs/promises';
import { errorCode } from '../../../../foundation/kernel/error-code.ts';
import { type CheckOutcome, fail, type HostCheck, pass, skipped, warning } from '../check.ts';

const mebibyte = 1024 * 1024;

/** A backup before a migration, a new index beside the old one and a clone all need room at once. */
const enough = 2_048 * mebibyte;
/** Below, commits of the database begin to fail. */
const least = 256 * mebibyte;

export const diskCheck: HostCheck = {
  id: 'disk',
  title: 'Disk',
  async run({ config: { dataDir } }) {
    try {
      const { bavail, bsize } = await statfs(dataDir);
      return judgeDisk(dataDir, bavail * bsize);
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return skipped('There is no data folder.');
      throw error;
    }
  },
};

/** `free` in bytes. */
export function judgeDisk(path: string, free: number): CheckOutcome {
  const evidence = { path, freeBytes: free };
  const seen = `${Math.floor(free / mebibyte).toLocaleString('en')} MiB are free for the data folder.`;
  const hint = 'Make room, or move DATA_DIR: clones, indexes and the backup before a migration need it.';
  if (free < least) return fail(seen, hint, evidence);
  return free < enough ? warning(seen, hint, evidence) : pass(seen, evidence);
}

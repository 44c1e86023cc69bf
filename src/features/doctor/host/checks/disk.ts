import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorCode } from '../../../../foundation/kernel/error-code.ts';
import { type HostCheck, skipped } from '../check.ts';
import { judgeDisk } from './judge-disk.ts';

export const diskCheck: HostCheck = {
  id: 'disk',
  title: 'Disk',
  async run({ config: { dataDir, database } }) {
    // The database may lie on another disk.
    const folders = database.dialect === 'sqlite' ? [dataDir, dirname(database.file)] : [dataDir];
    try {
      const disks = await Promise.all(
        folders.map(async (path) => {
          const { bavail, bsize } = await statfs(path);
          return { path, free: bavail * bsize };
        }),
      );
      const { path, free } = disks.reduce((fullest, disk) => (disk.free < fullest.free ? disk : fullest));
      return judgeDisk(path, free);
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return skipped('There is no data folder.');
      throw error;
    }
  },
};

import { statfs } from 'node:fs/promises';
import { errorCode } from '../../../../foundation/kernel/error-code.ts';
import { type HostCheck, skipped } from '../check.ts';
import { judgeDisk } from './judge-disk.ts';

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

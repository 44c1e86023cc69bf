import { statfs } from 'node:fs/promises';

/** Magic numbers of Linux (statfs(2), linux/magic.h). */
const names: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB'],
  [0x01021997, '9p'],
  [0x5346414f, 'AFS'],
  [0x00c36400, 'Ceph'],
  [0x0bd00bd0, 'Lustre'],
  [0x47504653, 'GPFS'],
  [0x786f4256, 'a shared folder of VirtualBox'],
]);

type FileSystemOf = (path: string) => Promise<{ readonly type: number }>;

/**
 * The name of the network file system a folder lies on, as far as the system tells; `undefined` for a local one and
 * wherever the numbers mean something else than on Linux. SQLite's log is shared memory between processes and its
 * locks are the file system's, and neither can be relied on over a network (https://sqlite.org/wal.html, section 9).
 */
export async function networkFileSystem(
  folder: string,
  fileSystemOf: FileSystemOf = statfs,
): Promise<string | undefined> {
  if (process.platform !== 'linux') return undefined;
  const { type } = await fileSystemOf(folder);
  return names.get(type >>> 0);
}

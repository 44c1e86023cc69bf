import { statfs } from 'node:fs/promises';

/** Names of network file systems by their magic number on Linux (statfs(2), linux/magic.h). */
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
 * Returns the name of the network file system of a folder; `undefined` for a local one, and on systems other than
 * Linux, where the numbers differ. SQLite's log is memory shared between processes and its locks are those of the
 * file system, and neither is reliable over a network (https://sqlite.org/wal.html, section 9).
 */
export async function networkFileSystem(
  folder: string,
  fileSystemOf: FileSystemOf = statfs,
): Promise<string | undefined> {
  if (process.platform !== 'linux') return undefined;
  const { type } = await fileSystemOf(folder);
  return names.get(type >>> 0);
}

import { expect, it } from 'vitest';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { networkFileSystem } from './network-file-system.ts';

// On some systems statfs(2) returns a number with the highest bit set as a negative one.
it.runIf(process.platform === 'linux').each([
  [0x6969, 'NFS'],
  [0xff534d42, 'CIFS'],
  [0xff534d42 | 0, 'CIFS'],
])('detects type %d as %s', async (type, name) => {
  expect(await networkFileSystem('/srv', async () => ({ type }))).toBe(name);
});

it('detects no network file system for a local folder', async () => {
  expect(await networkFileSystem('/srv', async () => ({ type: 0xef53 }))).toBeUndefined();
  expect(await networkFileSystem(temporaryFolder())).toBeUndefined();
});

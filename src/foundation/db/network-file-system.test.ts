import { expect, it } from 'vitest';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { networkFileSystem } from './network-file-system.ts';

// statfs(2) gives a number with its highest bit as a negative one on some systems.
it.runIf(process.platform === 'linux').each([
  [0x6969, 'NFS'],
  [0xff534d42, 'CIFS'],
  [0xff534d42 | 0, 'CIFS'],
])('a folder of type %d lies on %s', async (type, name) => {
  expect(await networkFileSystem('/srv', async () => ({ type }))).toBe(name);
});

it('a folder of this host lies on none', async () => {
  expect(await networkFileSystem('/srv', async () => ({ type: 0xef53 }))).toBeUndefined();
  expect(await networkFileSystem(temporaryFolder())).toBeUndefined();
});

import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { ensureContextRepository } from '../../../src/foundation/git/writing/context-repository.ts';
import { itWhen } from '../../support/database/databases.ts';
import { hostRepository, requestOf } from '../../support/mirror/context-writer.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** True if the kernel lets a user mount a file system of its own (Linux user namespaces). */
const own = ['-rm', '/bin/sh', '-c'];
const canMount = spawnSync('unshare', [...own, 'mount -t tmpfs none /mnt']).status === 0;

describe('a disk', () => {
  it('with enough space stores a copy', async () => {
    const root = temporaryFolder();
    hostRepository(root, 'source.git', { 'README.md': 'of people' });
    const request = requestOf(`${root}/source.git`, { gitDir: `${temporaryFolder()}/c.git` });
    expect(await ensureContextRepository(request)).toMatchObject({ tip: expect.any(String) });
  });

  itWhen(canMount)(
    'that fills while a copy is created is reported as full, and the copy is retried',
    async () => {
      const root = temporaryFolder();
      hostRepository(root, 'source.git', { 'README.md': 'of people' });
      const dataDir = temporaryFolder();
      const module = (path: string): string => new URL(path, import.meta.url).href;
      const program = `
      import { ensureContextRepository } from '${module('../../../src/foundation/git/writing/context-repository.ts')}';
      import { requestOf } from '${module('../../support/mirror/context-writer.ts')}';
      const request = requestOf('${root}/source.git', { gitDir: '${dataDir}/full/c.git' });
      const end = await ensureContextRepository(request).catch((error) => error);
      console.log(JSON.stringify([end.code, end.retryable]));`;
      const mounted = async (inodes: number): Promise<string> => {
        const script = `mkdir -p "$1/full" && mount -t tmpfs -o nr_inodes=${inodes} none "$1/full" && shift && exec "$@"`;
        const node = [process.execPath, '--input-type=module', '-e', program];
        const { stdout, stderr } = await promisify(execFile)(
          'unshare',
          [...own, script, 'sh', dataDir, ...node],
          {
            env: { PATH: process.env['PATH'] }, // It is no part of this runner.
          },
        );
        return stdout.trim() || stderr;
      };
      // Space for nothing, for a folder, for part of what "git init" creates, and for all of it but nothing more.
      for (const inodes of [1, 2, 3, 4, 6, 8, 12]) {
        expect([inodes, await mounted(inodes)]).toEqual([inodes, '["git_disk_full",true]']);
      }
      expect(await mounted(1_000)).toBe('[null,null]');
    },
  );
});

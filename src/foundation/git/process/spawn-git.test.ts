import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { notStarted } from './spawn-git.ts';

describe('a Git that cannot be started', () => {
  it.each([
    ['ENOENT', 'git_missing', false],
    ['EACCES', 'git_missing', false],
    ['EAGAIN', 'failed', true],
    ['EMFILE', 'failed', true],
    ['ENOMEM', 'failed', true],
  ] as const)('because of %s is %s', (code, reason, retryable) => {
    const cause = Object.assign(new Error(`spawn git ${code}`), { code });
    expect(notStarted(cause)).toMatchObject({ reason, retryable, cause });
  });

  it('because of too many open files fails with a retryable error, and affects nothing else', () => {
    const program = `
      import { closeSync, openSync } from 'node:fs';
      import { checkGitVersion } from '${new URL('git-version.ts', import.meta.url).href}';
      import { gitOutput } from '${new URL('spawn-git.ts', import.meta.url).href}';
      const taken = [];
      try {
        for (;;) taken.push(openSync('/dev/null'));
      } catch {}
      const reasonOf = (error) => [error.reason, error.retryable].join();
      const found = [];
      found.push(await gitOutput('/nowhere', ['version']).catch(reasonOf));
      found.push(await checkGitVersion().catch(reasonOf));
      for (const each of taken) closeSync(each);
      found.push((await checkGitVersion()).split('.').length > 1);
      console.log(found.join(' '));`;
    const node = [process.execPath, '--input-type=module', '-e', program];
    const { stdout, stderr } = spawnSync('/bin/sh', ['-c', 'ulimit -n 100; exec "$@"', 'sh', ...node], {
      encoding: 'utf8',
    });
    expect([stdout, stderr]).toEqual(['failed,true failed,true true\n', '']);
  });
});

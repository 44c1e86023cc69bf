import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createRepository } from '../../../../test/support/git/git-repository.ts';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { type GitProcess, gitEnvironment } from './environment.ts';

const folder = temporaryFolder();

function git(process: GitProcess, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync('git', args, {
    cwd: folder,
    env: gitEnvironment(process),
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

describe('gitEnvironment', () => {
  it('permits only the transport of the source, so that a remote helper cannot run', () => {
    const proof = join(folder, 'proof');
    const attack = `ext::touch ${proof}`;
    for (const process of [{}, { protocol: 'https' }, { protocol: 'ssh' }, { protocol: 'file' }] as const) {
      expect(git(process, 'ls-remote', attack).stderr).toContain("transport 'ext' not allowed");
    }
    expect(existsSync(proof)).toBe(false);
    const env = { ...gitEnvironment(), GIT_ALLOW_PROTOCOL: 'ext' };
    spawnSync('git', ['ls-remote', attack], { env });
    expect(existsSync(proof)).toBe(true);
  });

  it('permits no transport for processes that read a mirror', () => {
    for (const url of ['https://example.com/a', 'ssh://example.com/a', folder]) {
      expect(git({}, 'ls-remote', url).stderr).toMatch(/transport '\w+' not allowed/);
    }
  });

  it('passes configuration in the environment, after the common one', () => {
    const { stdout } = git(
      {
        config: [
          ['http.sslVerify', 'true'],
          ['a.b', "x y='z'"],
        ],
      },
      'config',
      '--get-all',
      'a.b',
    );
    expect(stdout).toBe("x y='z'\n");
    expect(git({}, 'config', 'http.followRedirects').stdout).toBe('false\n');
    expect(git({}, 'config', '--get-all', '--show-scope', 'credential.helper').stdout).toBe('command\t\n');
  });

  it('runs no hook of the repository', () => {
    const { folder: cwd } = createRepository({ 'a.txt': 'a' });
    const [hook, proof] = [join(cwd, '.git', 'hooks', 'reference-transaction'), join(cwd, 'proof')];
    writeFileSync(hook, `#!/bin/sh\ntouch '${proof}'\n`, { mode: 0o755 });
    spawnSync('git', ['update-ref', 'refs/heads/one', 'HEAD'], { cwd, env: gitEnvironment() });
    expect(existsSync(proof)).toBe(false);
    spawnSync('git', ['update-ref', 'refs/heads/two', 'HEAD'], { cwd });
    expect(existsSync(proof)).toBe(true);
  });

  it('uses no other configuration', () => {
    const scopes = git({}, 'config', '--list', '--show-scope')
      .stdout.split('\n')
      .map((line) => line.split('\t')[0]);
    expect(new Set(scopes.filter((scope) => scope !== ''))).toEqual(new Set(['command']));
  });
});

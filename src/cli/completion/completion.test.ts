import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { runCli } from '../../../test/support/program/command-line.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';

const shells = ['bash', 'zsh', 'fish'] as const;
const files = {} as Record<(typeof shells)[number], string>;

beforeAll(async () => {
  const folder = temporaryFolder();
  for (const shell of shells) {
    const { code, stdout, stderr } = await runCli(['completion', shell]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    files[shell] = join(folder, shell);
    writeFileSync(files[shell], stdout);
  }
});

function output(program: string, ...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return stdout;
}

/** Returns what bash offers for the last word of a line. */
function inBash(...words: readonly string[]): readonly string[] {
  const script = `source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _orgctx; printf '%s\\n' "\${COMPREPLY[@]}"`;
  // bash reads its start-up file, even for a script, if its input is a socket.
  return output('bash', '--norc', '-uc', script, 'bash', files.bash, 'orgctx', ...words)
    .trim()
    .split('\n');
}

function inFish(line: string): readonly string[] {
  return output('fish', '--no-config', '-c', 'source $argv[1]; complete -C $argv[2]', files.fish, line)
    .trim()
    .split('\n')
    .map((found) => found.split('\t', 1)[0] ?? '');
}

const has = (shell: string): boolean => spawnSync(shell, ['--version']).status === 0;

describe('orgctx completion bash', () => {
  it.each([
    [['re'], ['repo', 'refs']],
    [
      ['repo', 's'],
      ['status', 'set', 'sync'],
    ],
    [['repo', 'list', '--limit', '5', '--u'], ['--url']],
    [['--json', 'admin', 'key', 'c'], ['create']],
    [
      ['jobs', 'list', '--state', ''],
      ['dead', 'ready', 'running', 'all'],
    ],
    [['member', 'role', 'bob@example.com', 'ad'], ['admin']],
    [['completion', 'f'], ['fish']],
    [['repo', 'add', '--branch', ''], ['']],
    [['nope', 'li'], ['']],
  ])('offers after %j: %j', (words, offered) => {
    expect(inBash(...words)).toEqual(offered);
  });
});

// Few machines have these two shells, and the tests of a release must not be skipped: they are only added if possible.
if (has('zsh'))
  describe('orgctx completion zsh', () => {
    it('is a valid script', () => {
      expect(output('zsh', '-n', files.zsh)).toBe('');
    });
  });

if (has('fish'))
  describe('orgctx completion fish', () => {
    it('offers commands, flags and values', () => {
      expect(inFish('orgctx repo s')).toEqual(['set', 'status', 'sync']);
      expect(inFish('orgctx repo list --u')).toEqual(['--url']);
      expect(inFish('orgctx jobs list --state r')).toEqual(['ready', 'running']);
    });
  });

describe('orgctx completion', () => {
  it('refuses another shell', async () => {
    const { code, stderr } = await runCli(['completion', 'tcsh']);
    expect(code).toBe(2);
    expect(stderr).toContain('<shell> must be one of bash, zsh, fish');
  });
});

import { execFileSync } from 'node:child_process';

const maxBuffer = 1024 * 1024 * 1024;

/** Runs Git in a bare repository and returns its output. */
export function git(gitDir: string, args: readonly string[]): string {
  return execFileSync('git', [`--git-dir=${gitDir}`, '-c', 'core.quotePath=false', ...args], {
    encoding: 'utf8',
    maxBuffer,
  });
}

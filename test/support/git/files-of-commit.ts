import { execFileSync } from 'node:child_process';

/** Returns path and content of every file of a commit of a repository, with two Git processes however many they are. */
export function filesOfCommit(gitDir: string, commit: string): Readonly<Record<string, string>> {
  const run = (args: readonly string[], input = ''): Buffer =>
    execFileSync('git', ['--git-dir', gitDir, ...args], { input, maxBuffer: 1024 ** 3 });
  const entries = run(['ls-tree', '-r', '-z', commit]).toString().split('\0').slice(0, -1);
  const blobs = entries.map((entry) => /^\d+ blob ([\da-f]+)\t(.+)$/s.exec(entry) ?? []);
  const contents = run(['cat-file', '--batch'], blobs.map(([, oid = '']) => `${oid}\n`).join(''));
  let at = 0;
  return Object.fromEntries(
    blobs.map(([, , path = '']) => {
      // Each content follows a line that ends with its size.
      const start = contents.indexOf('\n', at) + 1;
      const size = Number(contents.toString('latin1', at, start).split(' ')[2]);
      at = start + size + 1;
      return [path, contents.toString('utf8', start, start + size)];
    }),
  );
}

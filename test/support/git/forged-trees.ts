import { execFileSync } from 'node:child_process';
import type { TestRepository } from './git-repository.ts';

/** Commits nine nested folders with ten identical entries each: 10^9 paths in a pack of a few hundred bytes. */
export function commitBomb(repository: TestRepository): string {
  let tree = inputTo(repository, 'bomb', 'hash-object', '-w', '--stdin');
  for (let level = 0; level < 9; level += 1) {
    const type = level === 0 ? '100644 blob' : '040000 tree';
    const entries = Array.from({ length: 10 }, (_, index) => `${type} ${tree}\td${index}\n`);
    tree = inputTo(repository, entries.join(''), 'mktree');
  }
  const commit = commitTree(repository, tree);
  repository.git('repack', '-a', '-d', '--quiet');
  return commit;
}

/** A tree entry with a name that Git would refuse. */
export type ForgedEntry = readonly [mode: '100644' | '40000', name: string, oid: string];

export function writeBlob(repository: TestRepository, text: string): string {
  return inputTo(repository, text, 'hash-object', '-w', '--stdin');
}

export function writeTree(repository: TestRepository, entries: readonly ForgedEntry[]): string {
  const raw = entries.flatMap(([mode, name, oid]) => [
    Buffer.from(`${mode} ${name}\0`),
    Buffer.from(oid, 'hex'),
  ]);
  return inputTo(repository, Buffer.concat(raw), 'hash-object', '-w', '--literally', '-t', 'tree', '--stdin');
}

/** Commits a tree on `main`. */
export function commitTree(repository: TestRepository, tree: string): string {
  const parent = repository.git('rev-list', '--max-count=1', '--all');
  const parents = parent === '' ? [] : ['-p', parent];
  const commit = repository.git('commit-tree', tree, ...parents, '-m', 'forged');
  repository.git('update-ref', 'refs/heads/main', commit);
  return commit;
}

/** Runs Git with bytes on standard input, as the tools that make hostile repositories do. */
function inputTo({ folder }: TestRepository, input: string | Uint8Array, ...args: string[]): string {
  return execFileSync('git', args, { cwd: folder, input, encoding: 'utf8' }).trim();
}

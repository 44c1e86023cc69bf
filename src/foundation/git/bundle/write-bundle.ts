import { join } from 'node:path';
import { isObjectId } from '../commit-id.ts';
import { gitDirsOf, textOf } from '../git-dirs.ts';
import { GitError } from '../git-error.ts';
import { gitOutput, spawnGit } from '../spawn-git.ts';
import { printBundleHeader } from './bundle-header.ts';

export interface BundleContent {
  /** Commits to bring, with all that they reach. */
  readonly tips: readonly string[];
  /** Commits of the receiver, all of them in this repository too: they and what they reach are left out. */
  readonly have: readonly string[];
}

/**
 * A Git bundle, piece by piece, as `git bundle create` makes it. It is put together here because that command takes refs
 * alone, and writes to no stream that could wait: the commits asked for need no ref, and the repository stays as it is.
 * @throws GitError where a commit or what it reaches cannot be read; the signal's reason
 */
export async function* writeBundle(
  gitDir: string,
  { tips, have }: BundleContent,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void> {
  yield Buffer.from(printBundleHeader({ prerequisites: have, tips }));
  const args = ['pack-objects', '--revs', '--thin', '--stdout', '--delta-base-offset', '--quiet'];
  const { child, ended } = spawnGit(gitDir, args, signal);
  child.stdin.end([...tips, ...have.map((commit) => `^${commit}`), ''].join('\n'));
  try {
    yield* child.stdout as AsyncIterable<Uint8Array>;
    await ended;
  } finally {
    child.kill();
  }
}

/** Those of `commits` that are in this repository, whether or not a ref leads to them. */
export async function presentCommits(
  gitDir: string,
  commits: readonly string[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (commits.length === 0) return [];
  if (!commits.every(isObjectId)) throw new GitError('failed', 'A commit is named by its whole id.');
  const args = ['cat-file', '--batch-check=%(objectname) %(objecttype)'];
  const output = await gitOutput(gitDir, args, { input: `${commits.join('\n')}\n`, signal });
  const found = new Set(output.toString('latin1').split('\n'));
  return commits.filter((commit) => found.has(`${commit} commit`));
}

/** Commits whose parents this repository never had, since its source was a shallow clone. */
export async function shallowCommits(gitDir: string): Promise<readonly string[]> {
  const { common } = await gitDirsOf(gitDir);
  const text = (await textOf(join(common, 'shallow'))) ?? '';
  return text.split('\n').filter(isObjectId);
}

import { join } from 'node:path';
import { fullId, isObjectId } from '../objects/commit-id.ts';
import { gitDirsOf, textOf } from '../process/git-dirs.ts';
import { gitOutput, spawnGit } from '../process/spawn-git.ts';
import { printBundleHeader } from './bundle-header.ts';

export interface BundleContent {
  /** Commits to include, with everything they reach. */
  readonly tips: readonly string[];
  /** Commits of the receiver, all of them also in this repository. They and what they reach are excluded. */
  readonly have: readonly string[];
}

/**
 * Streams a Git bundle like `git bundle create`. That command is not used because it only accepts refs and cannot
 * write to a stream with back-pressure; here the commits need no ref, and the repository is not changed.
 * @throws GitError if a commit or what it reaches cannot be read; the signal's reason
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

/** Returns those of `commits` that exist in this repository, with or without a ref that reaches them. */
export async function presentCommits(
  gitDir: string,
  commits: readonly string[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (commits.length === 0) return [];
  const args = ['cat-file', '--batch-check=%(objectname) %(objecttype)'];
  const output = await gitOutput(gitDir, args, { input: `${commits.map(fullId).join('\n')}\n`, signal });
  const found = new Set(output.toString('latin1').split('\n'));
  return commits.filter((commit) => found.has(`${commit} commit`));
}

/** Returns the commits whose parents this repository never had, because its source was a shallow clone. */
export async function shallowCommits(gitDir: string): Promise<readonly string[]> {
  const { common } = await gitDirsOf(gitDir);
  const text = (await textOf(join(common, 'shallow'))) ?? '';
  return text.split('\n').filter(isObjectId);
}

import { createHash } from 'node:crypto';
import { GitError } from '../../process/git-error.ts';
import { gitOutput } from '../../process/spawn-git.ts';
import type { BlobReader } from '../blob-reader.ts';
import { isCommitPrefix, isObjectId } from '../commit-id.ts';

/** The refs of the followed branches: of a mirror with a source, and of one that receives bundles. */
const branchRefs = ['refs/orgctx/source', 'refs/orgctx/branches/', 'refs/orgctx/tips/'];
/** Maximum number of objects of one prefix that are checked. Seven digits rarely mean two. */
const maxCandidates = 10;

/** A mirror, the commit that counts as reached besides its branches, and its reader. */
interface Mirror {
  readonly gitDir: string;
  readonly head: string;
  readonly reader: Pick<BlobReader, 'resolveCommit'>;
}

/**
 * Returns the ids of the commits that begin with `prefix`, complete or 7 digits or more, and that the head or a branch
 * of the mirror reaches; at most ten. Other commits of the mirror, such as those that a force push left behind, count
 * as missing.
 * @throws GitError; the reason of `signal`
 */
export async function reachedCommits(
  mirror: Mirror,
  prefix: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  signal.throwIfAborted();
  const candidates = await commitsOf(mirror, prefix, signal);
  if (candidates.length === 0) return [];
  const tips = await tipsOf(mirror, signal);
  const reached: string[] = [];
  for (const id of candidates) if (await isReached(mirror.gitDir, id, tips, signal)) reached.push(id);
  return reached;
}

/** Returns whether the head or a followed branch of a mirror reaches a commit, which must be given by its full id. */
export type ReachCheck = (
  mirror: Pick<Mirror, 'gitDir' | 'head'>,
  id: string,
  signal: AbortSignal,
) => Promise<boolean>;

/**
 * Opens a check that remembers its last `max` results, because a question reads many files of a commit, and the walk to
 * an old one takes seconds in a large history. A result holds as long as no branch moves.
 */
export function openReachCheck(max = 1_000): ReachCheck {
  const known = new Map<string, boolean>();
  return async (mirror, id, signal) => {
    const tips = await tipsOf(mirror, signal);
    const key = createHash('sha256')
      .update([mirror.gitDir, id, ...tips].join('\0'))
      .digest('base64');
    const former = known.get(key);
    if (former !== undefined) return former;
    const reached = await isReached(mirror.gitDir, id, tips, signal);
    const [oldest] = known.keys();
    if (known.size >= max && oldest !== undefined) known.delete(oldest);
    known.set(key, reached);
    return reached;
  };
}

async function tipsOf(
  { gitDir, head }: Pick<Mirror, 'gitDir' | 'head'>,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const refs = await gitOutput(gitDir, ['for-each-ref', '--format=%(objectname)', ...branchRefs], { signal });
  return [...new Set([head, ...linesOf(refs)])];
}

async function commitsOf(
  { gitDir, reader }: Mirror,
  prefix: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (!isCommitPrefix(prefix)) return [];
  const objects = isObjectId(prefix)
    ? [prefix]
    : linesOf(await gitOutput(gitDir, ['rev-parse', `--disambiguate=${prefix}`], { signal }));
  const resolved = await Promise.all(objects.slice(0, maxCandidates).map((id) => reader.resolveCommit(id)));
  // The id of a tag leads to a commit of another id.
  return resolved.filter((id) => id !== undefined).filter((id) => id.startsWith(prefix));
}

/** Returns whether a commit is its own merge base with all tips together, which is exact whatever the dates say. */
async function isReached(
  gitDir: string,
  id: string,
  tips: readonly string[],
  signal: AbortSignal,
): Promise<boolean> {
  if (tips.includes(id)) return true;
  try {
    const bases = await gitOutput(gitDir, ['merge-base', '--all', id, ...tips], { signal });
    return linesOf(bases).includes(id);
  } catch (error) {
    // Git says by this code that the histories have nothing in common.
    if (error instanceof GitError && error.detail?.['code'] === 1) return false;
    throw error;
  }
}

function linesOf(output: Buffer): readonly string[] {
  return output
    .toString('latin1')
    .split('\n')
    .filter((line) => line !== '');
}

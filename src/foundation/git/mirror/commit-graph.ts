import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { GitError } from '../process/git-error.ts';
import { gitOutput } from '../process/spawn-git.ts';

/** Maximum number of commits whose changed paths are computed at once: 50,000 take about 6 s of processor time. */
const maxNewCommits = 50_000;

/**
 * Writes the parents of the commits of a mirror that are new since the last call, and what paths each may have changed.
 * Git then reads few commits for the history of a file or of lines: a tenth of the time for 35,000 commits. Only one
 * writer at a time. Does nothing for a mirror without its oldest commits, for which Git has no such files, nor for one
 * that lacks an object or when Git fails: only speed depends on them.
 */
export async function writeCommitGraph(gitDir: string, signal: AbortSignal): Promise<void> {
  // A killed process may have left its lock.
  await rm(join(gitDir, 'objects/info/commit-graphs/commit-graph-chain.lock'), { force: true });
  const paths = ['--changed-paths', `--max-new-filters=${maxNewCommits}`];
  // The later version orders commits by dates, of which the files keep 34 bits: it would mix up those after the year
  // 2514.
  const order = ['-c', 'commitGraph.generationVersion=1'];
  try {
    await gitOutput(gitDir, [...order, 'commit-graph', 'write', '--reachable', '--split', ...paths], {
      signal,
    });
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
  }
}

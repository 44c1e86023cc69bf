import type { GraphUnit, GraphWriter } from '../../../backends/graph/port.ts';
import { type HistoryCommit, readHistory } from '../../../foundation/git/objects/history/commit-history.ts';
import { GitError } from '../../../foundation/git/process/git-error.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import { commitFacts, type RenamedPaths } from '../links/commit-facts.ts';
import { commitKey } from '../links/keys.ts';
import type { Mailmap } from '../links/people.ts';
import type { ProjectedRepository } from './projected-repositories.ts';

/** Maximum number of commits of one slice of the history. */
const maxCommits = 3_000;
/** Maximum number of commits in one transaction, and of links, which are in memory until then. */
const max = { units: 100, links: 10_000 } as const;

export interface HistoryRun {
  readonly scope: OrgScope;
  readonly repository: ProjectedRepository;
  readonly mailmap: Mailmap;
  readonly renames: RenamedPaths;
  readonly signal: AbortSignal;
}

/** Writes the commits that came after a commit. */
export async function projectNewCommits(graph: GraphWriter, run: HistoryRun, after: string): Promise<void> {
  await projectCommits(graph, run, { to: run.repository.commit, after, max: Number.MAX_SAFE_INTEGER });
}

/** Writes a slice of the history. Returns the commit that the next slice begins with, if there is one. */
export async function projectOlderCommits(
  graph: GraphWriter,
  run: HistoryRun,
  from: string,
): Promise<string | undefined> {
  const last = await projectCommits(graph, run, { to: from, max: maxCommits });
  return last?.parent;
}

/** Returns the last commit that was written. A commit with a message of many megabytes ends the history. */
async function projectCommits(
  graph: GraphWriter,
  { scope, repository, mailmap, renames, signal }: HistoryRun,
  range: Parameters<typeof readHistory>[1],
): Promise<HistoryCommit | undefined> {
  const { id: repositoryId, hosted, gitDir } = repository;
  let units: GraphUnit[] = [];
  let links = 0;
  const flush = async (): Promise<void> => {
    signal.throwIfAborted();
    if (units.length > 0) await graph.replaceUnits(scope, units);
    [units, links] = [[], 0];
  };
  let last: HistoryCommit | undefined;
  try {
    for await (const commit of readHistory(gitDir, range, signal)) {
      const { nodes, edges, mentions } = commitFacts({ repositoryId, hosted, mailmap, renames }, commit);
      units.push({
        owner: commitKey(repositoryId, commit.id),
        repositoryId,
        revision: commit.id,
        facts: { nodes, edges, mentions },
      });
      last = commit;
      links += edges.length + mentions.length;
      if (units.length === max.units || links > max.links) await flush();
    }
  } catch (error) {
    if (!(error instanceof GitError) || error.reason !== 'too_large') throw error;
    last = undefined;
  }
  await flush();
  return last;
}

import type { GraphNode, GraphReader } from '../../../backends/graph/port.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import { type RelatedNode, reached } from './related-node.ts';

/** Maximum number of commits of one file that are compared, because edges are not in the order of time. */
const maxCompared = 2000;
const windowSeconds = 30 * 24 * 3600;
/** Maximum number of commits, and their number if none is in the window. */
const max = { recent: 100, latest: 5 } as const;

interface Commits {
  readonly commits: readonly RelatedNode[];
  readonly truncated: boolean;
}

/** Returns the commits that touched some files, the newest first. */
export async function commitsTouching(
  graph: GraphReader,
  scope: OrgScope,
  files: readonly string[],
): Promise<Commits> {
  if (files.length === 0) return { commits: [], truncated: false };
  const touching = await graph.neighbours(scope, {
    from: files,
    direction: 'in',
    kinds: ['touches'],
    depth: 1,
    perNode: maxCompared,
    limit: files.length + maxCompared,
  });
  const commits = reached(touching, files, ['commit']).toSorted((a, b) => timeOf(b.node) - timeOf(a.node));
  return { commits, truncated: touching.truncated };
}

/**
 * Returns the commits that touched some files in the 30 days before an incident began, the newest first; without any,
 * the latest ones before it.
 */
export async function commitsBefore(
  graph: GraphReader,
  scope: OrgScope,
  files: readonly string[],
  incident: GraphNode,
): Promise<Commits> {
  const touching = await commitsTouching(graph, scope, files);
  const { createdAt } = incident.props;
  const parsed = Date.parse(typeof createdAt === 'string' ? createdAt : '') / 1000;
  const began = Number.isNaN(parsed) ? Number.POSITIVE_INFINITY : parsed;
  const before = touching.commits.filter(({ node }) => timeOf(node) <= began);
  const recent = before.filter(({ node }) => timeOf(node) >= began - windowSeconds);
  const commits = recent.length > 0 ? recent.slice(0, max.recent) : before.slice(0, max.latest);
  return { commits, truncated: touching.truncated || recent.length > max.recent };
}

/** Returns the time of a commit in seconds since 1970; 0 if it is not known. */
export function timeOf({ props: { time } }: GraphNode): number {
  return typeof time === 'number' ? time : 0;
}

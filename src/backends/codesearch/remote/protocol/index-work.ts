import { z } from 'zod';
import { type BranchHead, type IndexStatus, maxBranches } from '../../port.ts';
import { branchHead, commitId, organizationId, ownRepository, repositoryId, scope } from './ids.ts';
import { problemLine } from './problem.ts';

const branches: z.ZodType<readonly [BranchHead, ...BranchHead[]]> = z
  .tuple([branchHead], branchHead)
  .refine((heads) => heads.length <= maxBranches, `must be at most ${maxBranches}`);

/** The body of a request to define or compact. */
export const upkeepBody = z.object({ scope, repository: ownRepository, branches });

/**
 * The first line of the body of an index request. A Git bundle follows, or nothing if the service already has every
 * commit.
 */
export const indexHead = upkeepBody.extend({
  /** Commits whose parents the sender does not have. */
  shallow: z.array(commitId).max(10_000),
});
export type IndexHead = z.output<typeof indexHead>;

/** Maximum length of that line, in bytes: 64 branches with long names, and the commits of a shallow clone. */
export const maxIndexHeadLength = 1024 * 1024;

export const removeBody = z.object({ scope, repositoryId });

/** Selects a part of the status of a repository: the whole index (read and verified), or a cheap part. */
export const statusQuery = z.union([
  z.object({ organizationId, repositoryId, part: z.enum(['index', 'damage', 'commits']) }),
  z.object({ organizationId: z.undefined().optional() }),
]);

const status: z.ZodType<IndexStatus> = z.object({
  generation: z.int(),
  commit: z.string(),
  branches: z.array(z.object({ name: z.string(), commit: z.string() })),
  needsCompaction: z.boolean(),
  filesWithoutDefinitions: z.int(),
  files: z.int(),
  bytes: z.number(),
  skipped: z.record(z.string(), z.int()),
});

export const indexResponse = z.object({ status: status.nullable() });
export const damageResponse = z.object({ damaged: z.boolean() });
/** The commits that the service has; it needs what is not reachable from them. */
export const commitsResponse = z.object({ commits: z.array(commitId).max(10_000) });
/** The response of `GET /status` about the whole service. */
export const serviceResponse = z.object({ version: z.string(), protocol: z.int(), ready: z.boolean() });

/**
 * A line of the response to work on an index: heartbeats and progress, then the status or a problem. `lacking`: the
 * bundle builds on commits that the service does not have, and nothing was changed.
 */
export const workLine = z.union([
  z.object({ progress: z.object({ done: z.number(), total: z.number() }) }),
  z.object({ alive: z.literal(true) }),
  z.object({ lacking: z.literal(true) }),
  z.object({ status }),
  problemLine,
]);
export type WorkLine = z.output<typeof workLine>;

/** Interval between two heartbeats during work, in milliseconds; the time-out of the caller spans several. */
export const heartbeatMs = 5_000;

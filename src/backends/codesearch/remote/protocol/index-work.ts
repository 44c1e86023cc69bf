import { z } from 'zod';
import { type BranchHead, type IndexStatus, mostBranches } from '../../port.ts';
import { branchHead, commitId, organizationId, ownRepository, repositoryId, scope } from './ids.ts';
import { problemLine } from './problem.ts';

const branches: z.ZodType<readonly [BranchHead, ...BranchHead[]]> = z
  .tuple([branchHead], branchHead)
  .refine((heads) => heads.length <= mostBranches, `must be at most ${mostBranches}`);

export const tidyBody = z.object({ scope, repository: ownRepository, branches });

/**
 * The first line of the body of an index request; what follows it is a Git bundle, or nothing where the service has
 * every commit already.
 */
export const indexHead = tidyBody.extend({
  /** Commits whose parents the sender does not have. */
  shallow: z.array(commitId).max(10_000),
});
export type IndexHead = z.output<typeof indexHead>;

/** Bytes. 64 branches with long names, and the commits of a shallow clone. */
export const longestIndexHead = 1024 * 1024;

export const removeBody = z.object({ scope, repositoryId });

/** Which part of what is known of a repository: all of the index (read and verified), or what is cheap. */
export const statusQuery = z.union([
  z.object({ organizationId, repositoryId, part: z.enum(['index', 'damage', 'commits']) }),
  z.object({ organizationId: z.undefined().optional() }),
]);

const status: z.ZodType<IndexStatus> = z.object({
  generation: z.int(),
  commit: z.string(),
  branches: z.array(z.object({ name: z.string(), commit: z.string() })),
  untidy: z.boolean(),
  files: z.int(),
  bytes: z.number(),
  skipped: z.record(z.string(), z.int()),
});

export const indexAnswer = z.object({ status: status.nullable() });
export const damageAnswer = z.object({ damaged: z.boolean() });
/** What the service has of a repository's history: it needs what these do not reach. */
export const commitsAnswer = z.object({ commits: z.array(commitId).max(10_000) });
/** What `GET /status` says of the service as a whole. */
export const serviceAnswer = z.object({ version: z.string(), protocol: z.int(), ready: z.boolean() });

/**
 * A line of the answer to work on an index: signs of life while it goes on, then the status or a problem. `lacking`: the
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

/** Milliseconds between two signs of life while work goes on; the caller waits for several of them. */
export const signOfLifeMs = 5_000;

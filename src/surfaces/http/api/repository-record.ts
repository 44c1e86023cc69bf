import { z } from 'zod';
import type { Repository } from '../../../features/repositories/repository.ts';
import { isoTime } from '../../../foundation/kernel/clock.ts';

/** A repository as REST shows it (contract section 3); `null` for what is not there yet. */
export const repositoryRecord = z
  .object({
    id: z.string(),
    name: z.string(),
    source: z.string(),
    branch: z.string().nullable().describe("`null` follows the source's default branch."),
    furtherBranches: z
      .array(z.string())
      .readonly()
      .describe('Names and patterns of the branches that are followed beside it.'),
    state: z.enum(['queued', 'cloning', 'indexing', 'indexed', 'failed', 'removing']),
    stateChangedAt: z.iso.datetime(),
    progress: z
      .object({ phase: z.string(), done: z.number(), total: z.number().describe('0 while unknown.') })
      .nullable()
      .describe('Work under way.'),
    indexedCommit: z.string().nullable().describe('Searchable at this commit, whatever the state.'),
    indexedAt: z.iso.datetime().nullable(),
    branches: z
      .array(z.object({ name: z.string(), commit: z.string() }))
      .readonly()
      .describe('Searchable branches and the commits they are searchable at, the default branch first.'),
    graphCommit: z.string().nullable(),
    files: z.int(),
    bytes: z.int(),
    skipped: z
      .record(z.string(), z.int())
      .describe('Files left out, and branches that are not followed, counted by reason.'),
    error: z.object({ code: z.string(), message: z.string() }).nullable(),
    githostConnectionId: z.string().nullable(),
  })
  .meta({ id: 'Repository' });

export type RepositoryRecord = z.output<typeof repositoryRecord>;

export function toRecord(repository: Repository): RepositoryRecord {
  return {
    id: repository.id,
    name: repository.name,
    source: repository.source,
    branch: repository.branch ?? null,
    furtherBranches: repository.furtherBranches,
    state: repository.state,
    stateChangedAt: isoTime(repository.stateChangedAt),
    progress: repository.progress ?? null,
    indexedCommit: repository.indexedCommit ?? null,
    indexedAt: repository.indexedAt === undefined ? null : isoTime(repository.indexedAt),
    branches: repository.indexedBranches,
    graphCommit: repository.graphCommit ?? null,
    files: repository.files,
    bytes: repository.bytes,
    skipped: repository.skipped,
    error: repository.error ?? null,
    githostConnectionId: repository.githostConnectionId ?? null,
  };
}

import { z } from 'zod';
import { isoTime, isoTimeOrNull } from '../../foundation/kernel/clock.ts';
import type { Repository } from './repository.ts';

export const leftOutFiles = z.object({
  counts: z.record(z.string(), z.int()),
  examples: z.array(z.object({ path: z.string(), reason: z.string() })).readonly(),
});

/** A repository as REST returns it (contract section 3); `null` for values that do not exist yet. */
export const repositoryRecord = z
  .object({
    id: z.string(),
    name: z.string(),
    source: z.string(),
    branch: z.string().nullable().describe("`null` follows the source's default branch."),
    furtherBranches: z
      .array(z.string())
      .readonly()
      .describe('Names and patterns of the further branches that are followed.'),
    state: z.enum(['queued', 'cloning', 'indexing', 'indexed', 'failed', 'removing']),
    stateChangedAt: z.iso.datetime(),
    progress: z
      .object({ phase: z.string(), done: z.number(), total: z.number().describe('0 while unknown.') })
      .nullable()
      .describe('Progress of the work in flight; `null` if there is none.'),
    indexedCommit: z
      .string()
      .nullable()
      .describe('The commit at which it is searchable, independent of the state.'),
    indexedAt: z.iso.datetime().nullable(),
    branches: z
      .array(z.object({ name: z.string(), commit: z.string() }))
      .readonly()
      .describe('Searchable branches and the commits they are searchable at, the default branch first.'),
    graphCommit: z.string().nullable(),
    graphLeftOut: leftOutFiles.describe(
      'Files whose symbols and imports, or owners, the graph does not have, counted by reason, with examples.',
    ),
    files: z.int(),
    filesWithoutDefinitions: z
      .int()
      .optional()
      .describe(
        'Searchable files whose definitions are still being read; `sym:` does not find them yet. Absent once all are read.',
      ),
    bytes: z.int(),
    skipped: z
      .record(z.string(), z.int())
      .describe('Skipped files, and branches that are not followed, counted by reason.'),
    error: z.object({ code: z.string(), message: z.string() }).nullable(),
    githostConnectionId: z.string().nullable(),
    checkedAt: z.iso.datetime().nullable().describe('Time of the last check of the source for new commits.'),
    nextCheckAt: z.iso
      .datetime()
      .nullable()
      .describe('Planned time of the next check; a source that fails is checked less often.'),
  })
  .meta({ id: 'Repository' });

export type RepositoryRecord = z.output<typeof repositoryRecord>;

export function toRepositoryRecord(repository: Repository): RepositoryRecord {
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
    indexedAt: isoTimeOrNull(repository.indexedAt),
    branches: repository.indexedBranches,
    graphCommit: repository.graphCommit ?? null,
    graphLeftOut: repository.graphLeftOut,
    files: repository.files,
    ...(repository.filesWithoutDefinitions === 0
      ? {}
      : { filesWithoutDefinitions: repository.filesWithoutDefinitions }),
    bytes: repository.bytes,
    skipped: repository.skipped,
    error: repository.error ?? null,
    githostConnectionId: repository.githostConnectionId ?? null,
    checkedAt: isoTimeOrNull(repository.checkedAt),
    nextCheckAt: isoTimeOrNull(repository.nextCheckAt),
  };
}

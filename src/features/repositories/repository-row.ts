import type { Selectable } from 'kysely';
import { z } from 'zod';
import { parseJsonColumn } from '../../foundation/db/json-column.ts';
import type { RepositoryId } from '../../foundation/kernel/ids.ts';
import type { Repository } from './repository.ts';
import { leftOutFiles } from './repository-record.ts';
import type { RepositoryRow } from './tables.ts';

const progress = z.object({ phase: z.string(), done: z.number(), total: z.number() });
const failure = z.object({ code: z.string(), message: z.string() });
const branchNames = z.array(z.string());
const branchHeads = z.array(z.object({ name: z.string(), commit: z.string() }));
const counts = z.record(z.string(), z.number());

/** The columns of what searches need of a repository. */
export const searchableColumns = [
  'id',
  'number',
  'name',
  'source',
  'source_kind',
  'branch',
  'state',
  'indexed_commit',
  'indexed_at',
  'indexed_branches',
  'graph_commit',
] as const;

/** The fields of a repository that searches use. */
export type SearchablePart = Pick<
  Repository,
  | 'id'
  | 'number'
  | 'name'
  | 'source'
  | 'sourceKind'
  | 'branch'
  | 'state'
  | 'indexedCommit'
  | 'indexedAt'
  | 'indexedBranches'
  | 'graphCommit'
>;

export function searchablePart(
  row: Pick<Selectable<RepositoryRow>, (typeof searchableColumns)[number]>,
): SearchablePart {
  return {
    id: row.id as RepositoryId,
    number: row.number,
    name: row.name,
    source: row.source,
    sourceKind: row.source_kind,
    branch: row.branch ?? undefined,
    state: row.state,
    indexedCommit: row.indexed_commit ?? undefined,
    indexedAt: row.indexed_at ?? undefined,
    indexedBranches: parseJsonColumn(branchHeads, row.indexed_branches) ?? [],
    graphCommit: row.graph_commit ?? undefined,
  };
}

/** Converts a row of `repositories` to a repository. */
export function toRepository(row: Selectable<RepositoryRow>): Repository {
  return {
    ...searchablePart(row),
    furtherBranches: parseJsonColumn(branchNames, row.further_branches) ?? [],
    githostConnectionId: row.githost_connection_id ?? undefined,
    hostRepositoryId: row.host_repository_id ?? undefined,
    stateChangedAt: row.state_changed_at,
    progress: parseJsonColumn(progress, row.progress),
    indexGeneration: row.index_generation,
    graphLeftOut: parseJsonColumn(leftOutFiles, row.graph_left_out) ?? { counts: {}, examples: [] },
    files: row.files,
    filesWithoutDefinitions: row.files_without_definitions,
    bytes: row.bytes,
    skipped: { ...parseJsonColumn(counts, row.skipped), ...parseJsonColumn(counts, row.left_out_branches) },
    error: parseJsonColumn(failure, row.error),
    checkedAt: row.checked_at ?? undefined,
    nextCheckAt: row.next_check_at ?? undefined,
    createdAt: row.created_at,
  };
}

import type { Selectable } from 'kysely';
import { z } from 'zod';
import type { RepositoryRow } from '../../foundation/db/tables.ts';
import type { RepositoryId } from '../../foundation/kernel/ids.ts';
import type { Repository } from './repository.ts';

const progress = z.object({ phase: z.string(), done: z.number(), total: z.number() });
const failure = z.object({ code: z.string(), message: z.string() });
const branchNames = z.array(z.string());
const branchHeads = z.array(z.object({ name: z.string(), commit: z.string() }));
const counts = z.record(z.string(), z.number());

/** A row as the rest of the program knows it. */
export function toRepository(row: Selectable<RepositoryRow>): Repository {
  return {
    id: row.id as RepositoryId,
    number: row.number,
    name: row.name,
    source: row.source,
    sourceKind: row.source_kind,
    branch: row.branch ?? undefined,
    furtherBranches: fromJson(branchNames, row.further_branches) ?? [],
    githostConnectionId: row.githost_connection_id ?? undefined,
    state: row.state,
    stateChangedAt: row.state_changed_at,
    progress: fromJson(progress, row.progress),
    indexedCommit: row.indexed_commit ?? undefined,
    indexedAt: row.indexed_at ?? undefined,
    indexedBranches: fromJson(branchHeads, row.indexed_branches) ?? [],
    indexGeneration: row.index_generation,
    graphCommit: row.graph_commit ?? undefined,
    files: row.files,
    bytes: row.bytes,
    skipped: { ...fromJson(counts, row.skipped), ...fromJson(counts, row.left_out_branches) },
    error: fromJson(failure, row.error),
    createdAt: row.created_at,
  };
}

function fromJson<T>(shape: z.ZodType<T>, text: string | null): T | undefined {
  return text === null ? undefined : shape.parse(JSON.parse(text));
}

import type { Database } from '../../../src/foundation/db/database.ts';
import { newId, type OrganizationId, type RepositoryId } from '../../../src/foundation/kernel/ids.ts';
import type { OrgScope } from '../../../src/foundation/kernel/org-scope.ts';

export async function seedOrganization(database: Database, slug: string): Promise<OrgScope> {
  const organizationId = newId<OrganizationId>();
  await database.queries
    .insertInto('organizations')
    .values({ id: organizationId, slug, name: slug, created_at: 0 })
    .execute();
  return { organizationId, orgSlug: slug };
}

interface Seed {
  readonly name: string;
  readonly source?: string;
  /** Default: none; the repository is not searchable yet. */
  readonly indexedCommit?: string;
  /** Names of the searchable branches. Default: none is recorded. */
  readonly indexedBranches?: readonly string[];
  readonly state?: 'queued' | 'cloning' | 'indexing' | 'indexed' | 'failed' | 'removing';
  readonly progress?: { readonly phase: string; readonly done: number; readonly total: number };
  readonly error?: { readonly code: string; readonly message: string };
}

const indexedAt = Date.UTC(2026, 10, 21, 12);

/** Inserts a repository row as the worker writes it. */
export async function seedRepository(database: Database, scope: OrgScope, seed: Seed): Promise<RepositoryId> {
  const id = newId<RepositoryId>();
  const { name, source = `https://github.com/acme/${name}.git`, indexedCommit } = seed;
  await database.queries
    .insertInto('repositories')
    .values({
      id,
      organization_id: scope.organizationId,
      name,
      source,
      source_kind: source.startsWith('https:') ? 'https' : 'folder',
      branch: null,
      further_branches: '[]',
      githost_connection_id: null,
      state: seed.state ?? 'indexed',
      state_changed_at: 0,
      progress: seed.progress === undefined ? null : JSON.stringify(seed.progress),
      indexed_commit: indexedCommit ?? null,
      indexed_at: indexedCommit === undefined ? null : indexedAt,
      indexed_branches: JSON.stringify(
        (seed.indexedBranches ?? []).map((branch) => ({ name: branch, commit: indexedCommit ?? '' })),
      ),
      index_generation: 1,
      graph_commit: null,
      files: 0,
      bytes: 0,
      skipped: '{}',
      left_out_branches: '{}',
      error: seed.error === undefined ? null : JSON.stringify(seed.error),
      created_at: 0,
    })
    .execute();
  return id;
}

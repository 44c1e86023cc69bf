import { beforeAll, beforeEach, expect, it } from 'vitest';
import { indexStatus } from '../../../test/support/codesearch/index-request.ts';
import { describeEachDatabase } from '../../../test/support/database/databases.ts';
import type { Database } from '../../foundation/db/database.ts';
import { newId, type RepositoryId } from '../../foundation/kernel/ids.ts';
import type { OrgScope } from '../../foundation/kernel/org-scope.ts';
import type { Page } from '../../foundation/kernel/wire/page.ts';
import { admitUser } from '../identity/people/admit-user.ts';
import type { Repository, RepositoryState } from './repository.ts';
import { changeState, recordIndex } from './repository-state-store.ts';
import {
  findRepository,
  getRepository,
  insertRepository,
  listEveryRepository,
  listPendingRepositories,
  listRepositories,
  listSearchableRepositories,
  type NewRepository,
} from './repository-store.ts';

const now = 1_800_000_000_000;

describeEachDatabase('the repository store', (open) => {
  let database: Database;
  let acme: OrgScope;
  let globex: OrgScope;
  let counter: number;

  const organization = async (orgSlug: string): Promise<OrgScope> => {
    const admission = { email: 'ada@example.com', orgSlug };
    const admitted = await admitUser({ database, clock: () => now }, admission);
    return { organizationId: admitted.organization.id, orgSlug };
  };
  const insert = async (scope: OrgScope, repository: Partial<NewRepository> = {}): Promise<RepositoryId> => {
    const id = newId<RepositoryId>(now + counter++);
    const name = repository.name ?? `repo-${counter}`;
    const whole = {
      sourceKind: 'https',
      branch: undefined,
      furtherBranches: [],
      source: `https://git.example/${name}`,
      ...repository,
      name,
    } as const;
    return (await insertRepository(database.queries, scope, id, whole, now))
      ? id
      : Promise.reject(new Error('twin'));
  };
  const index = async (
    scope: OrgScope,
    id: RepositoryId,
    state: RepositoryState = 'indexed',
  ): Promise<void> => {
    const status = indexStatus({
      generation: 3,
      commit: 'c'.repeat(40),
      files: 2,
      bytes: 9,
      skipped: { binary: 1 },
    });
    await recordIndex(database.queries, { scope, id }, status, now + 5);
    await database.queries.updateTable('repositories').set({ state }).where('id', '=', id).execute();
  };

  beforeAll(async () => {
    database = await open();
    acme = await organization('acme');
    globex = await organization('globex');
  });
  beforeEach(async () => {
    counter = 0;
    await database.queries.deleteFrom('repositories').execute();
  });

  it('returns the stored fields', async () => {
    const id = await insert(acme, { name: 'owner/app', branch: 'main' });
    const repository = await getRepository(database.queries, acme, id);
    expect(repository).toMatchObject({
      id,
      name: 'owner/app',
      branch: 'main',
      state: 'queued',
      createdAt: now,
    });
    expect(repository).toMatchObject({
      progress: undefined,
      error: undefined,
      skipped: {},
      indexedCommit: undefined,
    });
    expect(await findRepository(database.queries, acme, 'owner/app')).toEqual(repository);
  });

  it('numbers repositories uniquely across the deployment', async () => {
    const numbers = async (): Promise<readonly number[]> => {
      const rows = await database.queries.selectFrom('repositories').select('number').orderBy('id').execute();
      return rows.map(({ number }) => number);
    };
    await insert(acme);
    await insert(globex);
    const [first = 0, second] = await numbers();
    expect(second).toBe(first + 1);
    await database.queries.deleteFrom('repositories').execute();
    await insert(acme);
    expect(await numbers()).toEqual([first + 2]);
  });

  it.each<[string, Partial<NewRepository>]>([
    ['the name', { name: 'app', source: 'https://git.example/other' }],
    ['source and branch', { name: 'other', source: 'https://git.example/app' }],
  ])('stores only one repository of %s in an organization', async (_what, twin) => {
    await insert(acme, { name: 'app' });
    await expect(insert(acme, twin)).rejects.toThrow('twin');
    await insert(globex, twin);
    await insert(acme, { name: 'third', source: 'https://git.example/app', branch: 'next' });
  });

  it('shows nothing of another organization', async () => {
    const id = await insert(acme, { name: 'app' });
    await index(acme, id);
    await insert(acme, { name: 'pending' });
    const { queries } = database;
    expect(await getRepository(queries, globex, id)).toBeUndefined();
    expect(await findRepository(queries, globex, 'app')).toBeUndefined();
    expect((await listRepositories(queries, globex)).items).toEqual([]);
    expect(await listSearchableRepositories(queries, globex)).toEqual([]);
    expect(await listPendingRepositories(queries, globex)).toEqual([]);
  });

  it('changes nothing of another organization', async () => {
    const id = await insert(acme, { name: 'app' });
    expect(await changeState(database.queries, { scope: globex, id }, 'removing', now)).toBe(false);
    await index(globex, id, 'queued');
    expect(await getRepository(database.queries, acme, id)).toMatchObject({
      state: 'queued',
      indexedCommit: undefined,
    });
  });

  it.each(['', 'x', '../..', "' or 1=1", 'a\u0000b', '01980f3e-5f2c-7c3a-9d53-0c2b7b6a9f10'])(
    'knows no repository by the id or name %j',
    async (text) => {
      expect(await getRepository(database.queries, acme, text)).toBeUndefined();
      expect(await findRepository(database.queries, acme, text)).toBeUndefined();
    },
  );

  it('pages in the order of creation, each repository once', async () => {
    for (let count = 0; count < 5; count++) await insert(acme);
    await insert(globex);
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page: Page<Repository> = await listRepositories(database.queries, acme, {
        limit: 2,
        cursor: cursor ?? undefined,
      });
      seen.push(...page.items.map(({ name }) => name));
      cursor = page.nextCursor;
    } while (cursor !== null);
    expect(seen).toEqual(['repo-1', 'repo-2', 'repo-3', 'repo-4', 'repo-5']);
  });

  it.each([
    { limit: 0 },
    { limit: 201 },
    { limit: 1.5 },
    { cursor: '' },
    { cursor: 'x' },
    { cursor: 'YQ%3D' },
  ])('refuses the page %j', async (request) => {
    await expect(listRepositories(database.queries, acme, request)).rejects.toEqual(
      expect.objectContaining({ status: 400, code: 'validation_failed' }),
    );
  });

  it.each<[RepositoryState, boolean]>([
    ['indexed', true],
    ['queued', true],
    ['cloning', true],
    ['indexing', true],
    ['failed', true],
    ['removing', false],
  ])('returns for state %s whether the repository is searchable: %s', async (state, searchable) => {
    const id = await insert(acme, { name: 'app' });
    await index(acme, id, state);
    const found = await listSearchableRepositories(database.queries, acme);
    expect(found.map(({ name, indexedCommit, indexedAt }) => ({ name, indexedCommit, indexedAt }))).toEqual(
      searchable ? [{ name: 'app', indexedCommit: 'c'.repeat(40), indexedAt: now + 5 }] : [],
    );
    expect(await listPendingRepositories(database.queries, acme)).toEqual([]);
  });

  it('lists the repositories that are not searchable yet', async () => {
    await insert(acme, { name: 'app' });
    expect(await listPendingRepositories(database.queries, acme)).toEqual([
      expect.objectContaining({ name: 'app', state: 'queued' }),
    ]);
    expect(await listSearchableRepositories(database.queries, acme)).toEqual([]);
  });

  it('lists the repositories of every organization for the start of a worker', async () => {
    await insert(acme);
    await insert(globex);
    const seen: string[] = [];
    for await (const { ref } of listEveryRepository(database.queries)) seen.push(ref.scope.orgSlug);
    expect(seen).toEqual(['acme', 'globex']);
  });
});

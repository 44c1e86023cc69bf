import { realpath } from 'node:fs/promises';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { indexStatus } from '../../../../test/support/codesearch/index-request.ts';
import { describeEachDatabase, itWhen } from '../../../../test/support/database/databases.ts';
import { createRepository } from '../../../../test/support/git/git-repository.ts';
import type { Database } from '../../../foundation/db/database.ts';
import { newId } from '../../../foundation/kernel/ids.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import { admitUser } from '../../identity/people/admit-user.ts';
import type { Repository } from '../repository.ts';
import { changeState, recordIndex } from '../repository-state-store.ts';
import {
  getRepository,
  insertRepository,
  listRepositories,
  listSearchableRepositories,
} from '../repository-store.ts';
import { syncRepository } from '../sync-repository.ts';
import { addRepository, type RepositoryRequest } from './add-repository.ts';
import { removeRepository } from './remove-repository.ts';
import { setRepository } from './set-repository.ts';

const now = 1_800_000_000_000;
const clock = (): number => now;
const unknownId = '01980f3e-5f2c-7c3a-9d53-0c2b7b6a9f10';

describeEachDatabase('adding, syncing and removing a repository', (open, dialect) => {
  let database: Database;
  let acme: OrgScope;
  let globex: OrgScope;

  const organization = async (orgSlug: string): Promise<OrgScope> => {
    const admitted = await admitUser({ database, clock }, { email: 'ada@example.com', orgSlug });
    return { organizationId: admitted.organization.id, orgSlug };
  };
  const add = (
    request: RepositoryRequest,
    { scope = acme, allowLocal = false }: { scope?: OrgScope; allowLocal?: boolean } = {},
  ): Promise<Repository> =>
    addRepository(
      { database, clock, allowLocal, allowHosts: [], dataDir: '/nonexistent' },
      scope,
      { kind: 'host' },
      request,
    );
  const jobs = async (): Promise<readonly string[]> => {
    const rows = await database.queries.selectFrom('jobs').select(['task', 'lane']).orderBy('id').execute();
    return rows.map(({ task, lane }) => `${task} ${lane}`);
  };

  beforeAll(async () => {
    database = await open();
    acme = await organization('acme');
    globex = await organization('globex');
  });
  beforeEach(async () => {
    await database.queries.deleteFrom('repositories').execute();
    await database.queries.deleteFrom('jobs').execute();
  });

  it('stores the record together with the job that clones it', async () => {
    const repository = await add({ source: 'https://github.com/owner/app.git', branch: 'main' });
    expect(repository).toMatchObject({
      name: 'owner/app',
      sourceKind: 'https',
      branch: 'main',
      state: 'queued',
    });
    expect(await getRepository(database.queries, acme, repository.id)).toEqual(repository);
    expect(await jobs()).toEqual([`repository-clone repository:${repository.id}`]);
  });

  it('stores the requested further branches and refuses an invalid branch name', async () => {
    const source = 'https://github.com/owner/app.git';
    const branches = ['release/*', 'dev', 'release/*'];
    await expect(add({ source, branches: ['main', '--force'] })).rejects.toMatchObject({
      errors: [{ path: '/branches', message: expect.stringContaining('"--force"') as string }],
    });
    expect(await add({ source, branches })).toMatchObject({ furtherBranches: ['release/*', 'dev'] });
  });

  it('accepts a folder, by its real path, only if the operator allows folders', async () => {
    const { folder } = createRepository({ 'a.txt': 'a' });
    const repository = await add({ source: folder }, { allowLocal: true });
    expect(repository).toMatchObject({ source: await realpath(folder), sourceKind: 'folder' });
    await expect(add({ source: folder, name: 'third' })).rejects.toThrow(/ALLOW_LOCAL_REPOSITORIES=true/);
    await expect(add({ source: folder, name: 'other' }, { allowLocal: true })).rejects.toThrow(
      `This source exists already as ${repository.name}`,
    );
  });

  it.each<[string, RepositoryRequest]>([
    ['a folder, where folders are not allowed', { source: '/etc' }],
    ['a file URL', { source: 'file:///etc' }],
    ['an option', { source: '--upload-pack=touch /tmp/x' }],
    ['a remote helper', { source: 'ext::sh -c id' }],
    ['plain http', { source: 'http://example.com/owner/app' }],
    ['a private host', { source: 'https://127.0.0.1/owner/app' }],
    ['credentials in the URL', { source: 'https://user:s3cret@example.com/owner/app' }],
    ['nothing', { source: '' }],
    ['control characters', { source: 'https://example.com/a\u0000b' }],
    ['a branch like an option', { source: 'https://example.com/owner/app', branch: '--help' }],
    ['a branch outside refs', { source: 'https://example.com/owner/app', branch: 'a..b' }],
    ['a bad name', { source: 'https://example.com/owner/app', name: '../x' }],
    ['a Git-host connection there is not', { source: 'https://example.com/o/a', githostConnectionId: 'x' }],
  ])('refuses %s, stores nothing and repeats no secret', async (_what, request) => {
    const error: unknown = await add(request).catch((reason: unknown) => reason);
    expect(error).toEqual(expect.objectContaining({ status: 400 }));
    expect(String(error)).not.toContain('s3cret');
    expect((await listRepositories(database.queries, acme)).items).toEqual([]);
    expect(await jobs()).toEqual([]);
  });

  it('names the existing repository', async () => {
    await add({ source: 'https://github.com/owner/app' });
    await expect(add({ source: 'https://github.com/owner/app.git/', name: 'owner/app' })).rejects.toEqual(
      expect.objectContaining({
        status: 409,
        code: 'repository_exists',
        message: expect.stringContaining('owner/app exists already (https://github.com/owner/app)'),
      }),
    );
    await expect(add({ source: 'https://github.com/owner/app', name: 'twin' })).rejects.toThrow(
      'This source exists already as owner/app',
    );
    await add({ source: 'https://github.com/owner/app' }, { scope: globex });
  });

  it('refuses a name that begins with the name of another repository, or the other way round', async () => {
    const first = await add({ source: 'https://github.com/owner/app', name: 'open' });
    const lib = { source: 'https://github.com/owner/lib' };
    const refused = {
      status: 400,
      errors: [{ path: '/name', message: expect.stringContaining('`open`') as string }],
      message: expect.stringMatching(/`open` exists.*`open\/lib\/…`.*another name/u) as string,
    };
    await expect(add({ ...lib, name: 'open/lib' })).rejects.toMatchObject(refused);
    await expect(add({ source: 'https://example.com/open/core.git' })).rejects.toMatchObject({
      status: 400,
      errors: [{ path: '/name' }],
    });
    const second = await add({ ...lib, name: 'opening/lib' });
    await add({ source: 'https://github.com/owner/upper', name: 'Open/lib' });
    const set = (name: string) =>
      setRepository(
        { database, clock, allowLocal: false, allowHosts: [], dataDir: '/nonexistent' },
        acme,
        { kind: 'host' },
        second.id,
        { name },
      );
    await expect(set('open/lib')).rejects.toMatchObject(refused);
    expect((await set('opening')).name).toBe('opening');
    await expect(
      add({ source: 'https://github.com/owner/deep', name: 'opening/lib/core' }),
    ).rejects.toMatchObject({ status: 400 });
    await expect(
      addRepository(
        { database, clock, allowLocal: false, allowHosts: [], dataDir: '/nonexistent' },
        { ...acme, repositories: new Set([second.id]) },
        { kind: 'host' },
        { source: 'https://github.com/owner/hidden', name: 'open/hidden' },
      ),
    ).rejects.toMatchObject({ status: 400 });
    await add({ source: 'https://github.com/owner/app', name: 'open/lib' }, { scope: globex });
    expect((await add({ source: 'https://github.com/owner/other', name: 'other' })).id).not.toBe(first.id);
  });

  it('stores one of two repositories that are added concurrently', async () => {
    const request = { source: 'https://github.com/owner/app' };
    const outcomes = await Promise.allSettled([add(request), add(request), add(request)]);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const outcome of outcomes) {
      if (outcome.status === 'fulfilled') continue;
      expect(outcome.reason).toEqual(expect.objectContaining({ code: 'repository_exists' }));
    }
    expect(await jobs()).toHaveLength(1);
  });

  it('adds one of two names at once of which one is a folder of the other', async () => {
    for (let round = 0; round < 5; round++) {
      const names = [`open${round}`, `open${round}/lib`];
      const sources = names.map((name) => ({ source: `https://github.com/owner/${name}.git`, name }));
      const outcomes = await Promise.allSettled(sources.map((request) => add(request)));
      expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
      expect(outcomes.find(({ status }) => status === 'rejected')).toMatchObject({
        reason: { errors: [{ path: '/name' }] },
      });
    }
    expect((await listRepositories(database.queries, acme)).items).toHaveLength(5);
  });

  it('gives one of two names at once to repositories that are renamed', async () => {
    const repositories = await Promise.all(
      ['one', 'two'].map((name) => add({ source: `https://github.com/owner/${name}.git` })),
    );
    const deps = { database, clock, allowLocal: false, allowHosts: [], dataDir: '/nonexistent' };
    const outcomes = await Promise.allSettled(
      repositories.map(({ id }, at) =>
        setRepository(deps, acme, { kind: 'host' }, id, { name: ['open', 'open/lib'][at] }),
      ),
    );
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  });

  itWhen(dialect === 'postgres')(
    'is added while a transaction adds something to its organization',
    async () => {
      const inserted = Promise.withResolvers<void>();
      const added = Promise.withResolvers<void>();
      const inserting = database.transaction(async (tx) => {
        const other = {
          name: 'b',
          source: 'b',
          sourceKind: 'https',
          branch: undefined,
          furtherBranches: [],
        } as const;
        await insertRepository(tx, acme, newId(now), other, now);
        inserted.resolve();
        await added.promise;
      });
      await inserted.promise;
      const adding = add({ source: 'https://github.com/owner/app' });
      const waited = new Promise((resolve) => setTimeout(resolve, 10_000, 'it waits'));
      const first = await Promise.race([adding, waited]);
      added.resolve();
      await Promise.all([adding, inserting]);
      expect(first).toMatchObject({ name: 'owner/app' });
    },
  );

  it('syncs at once, and only once for several requests before the run', async () => {
    const { id } = await add({ source: 'https://github.com/owner/app' });
    await database.queries
      .updateTable('jobs')
      .set({ attempts: 3, run_at: now + 1e9 })
      .execute();
    await database.queries.updateTable('repositories').set({ state: 'failed' }).execute();
    expect((await syncRepository({ database, clock }, acme, { kind: 'host' }, id)).state).toBe('queued');
    await syncRepository({ database, clock }, acme, { kind: 'host' }, id);
    const rows = await database.queries.selectFrom('jobs').select('run_at').execute();
    expect(rows).toEqual([{ run_at: now }]);
  });

  it('does not change the state of running work when a sync is requested', async () => {
    const { id } = await add({ source: 'https://github.com/owner/app' });
    await database.queries.deleteFrom('jobs').execute();
    await changeState(database.queries, { scope: acme, id }, 'cloning', now);
    expect((await syncRepository({ database, clock }, acme, { kind: 'host' }, id)).state).toBe('cloning');
    expect(await jobs()).toEqual([`repository-clone repository:${id}`]);
  });

  it('returns no results as soon as it is removed, and refuses a sync', async () => {
    const { id } = await add({ source: 'https://github.com/owner/app' });
    const status = indexStatus({ commit: 'c'.repeat(40) });
    await recordIndex(database.queries, { scope: acme, id }, status, now);
    expect(await listSearchableRepositories(database.queries, acme)).toHaveLength(1);
    expect((await removeRepository({ database, clock }, acme, { kind: 'host' }, id)).state).toBe('removing');
    expect(await listSearchableRepositories(database.queries, acme)).toEqual([]);
    expect((await removeRepository({ database, clock }, acme, { kind: 'host' }, id)).state).toBe('removing');
    await expect(syncRepository({ database, clock }, acme, { kind: 'host' }, id)).rejects.toEqual(
      expect.objectContaining({ status: 409 }),
    );
    await expect(add({ source: 'https://github.com/owner/app' })).rejects.toThrow(/is being removed/);
    expect((await jobs()).filter((job) => job.startsWith('repository-remove'))).toHaveLength(1);
  });

  it('returns the same error for unknown ids and ids of another organization', async () => {
    const { id } = await add({ source: 'https://github.com/owner/app' });
    const before = await jobs();
    for (const act of [syncRepository, removeRepository]) {
      const answers = await Promise.all(
        [
          act({ database, clock }, globex, { kind: 'host' }, id),
          act({ database, clock }, acme, { kind: 'host' }, unknownId as typeof id),
        ].map((answer) => answer.catch((error: unknown) => error)),
      );
      expect(answers[0]).toEqual(expect.objectContaining({ status: 404, code: 'not_found' }));
      expect(answers[1]).toEqual(answers[0]);
    }
    expect(await jobs()).toEqual(before);
    expect(await getRepository(database.queries, acme, id)).toMatchObject({ state: 'queued' });
  });
});

import { existsSync } from 'node:fs';
import { mkdir, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { indexStatus } from '../../../../test/support/codesearch/index-request.ts';
import { manifestsOnly } from '../../../../test/support/codesearch/manifests-only.ts';
import { describeEachDatabase } from '../../../../test/support/database/databases.ts';
import { createRepository, type TestRepository } from '../../../../test/support/git/git-repository.ts';
import { jobContext } from '../../../../test/support/jobs/job-context.ts';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import type { Database } from '../../../foundation/db/database.ts';
import { GitError } from '../../../foundation/git/process/git-error.ts';
import type { JobContext } from '../../../foundation/jobs/handler.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import { admitUser } from '../../identity/people/admit-user.ts';
import { cloneRepository } from '../indexing/clone-repository.ts';
import { eraseRepository } from '../indexing/erase-repository.ts';
import { fetchRepository } from '../indexing/fetch-repository.ts';
import { indexRepository } from '../indexing/index-repository.ts';
import { mirrorPath } from '../indexing/mirror-path.ts';
import type { Repository } from '../repository.ts';
import { getRepository, listSearchableRepositories } from '../repository-store.ts';
import { addRepository } from '../setup/add-repository.ts';
import { removeRepository } from '../setup/remove-repository.ts';
import { syncRepository } from '../sync-repository.ts';
import { type RepositoryPayload, repositoryClone } from '../tasks.ts';
import { reconcileRepositories } from './reconcile-repositories.ts';
import { repairRepositories } from './repair-repositories.ts';
import type { WorkDeps } from './repository-work.ts';

describeEachDatabase('the work on a repository', (open) => {
  let database: Database;
  let dataDir: string;
  let scope: OrgScope;
  let source: TestRepository;
  let codeIndex: ReturnType<typeof manifestsOnly>;
  let deps: WorkDeps;
  let now: number;
  let repository: Repository;
  let payload: RepositoryPayload;
  let gitDir: string;

  const run = (
    handler: (deps: WorkDeps, payload: RepositoryPayload, context: JobContext) => Promise<void>,
    context: Partial<JobContext> = {},
  ): Promise<void> => handler(deps, payload, jobContext(context));
  const row = async (): Promise<Repository> => {
    const found = await getRepository(database.queries, scope, repository.id);
    return found ?? Promise.reject(new Error('the row is gone'));
  };
  const waiting = async (): Promise<readonly string[]> => {
    const jobs = await database.queries.selectFrom('jobs').select('task').orderBy('id').execute();
    await database.queries.deleteFrom('jobs').execute();
    return jobs.map(({ task }) => task);
  };
  const searchable = async (): Promise<readonly string[]> =>
    (await listSearchableRepositories(database.queries, scope)).map(({ indexedCommit }) => indexedCommit);
  const indexOnce = async (): Promise<void> => {
    await run(cloneRepository);
    await run(indexRepository);
  };
  const head = (): string => source.git('rev-parse', 'HEAD');

  beforeAll(async () => {
    database = await open();
  });
  beforeEach(async () => {
    await database.queries.deleteFrom('repositories').execute();
    dataDir = temporaryFolder();
    now = 1_800_000_000_000;
    const clock = (): number => now;
    const admitted = await admitUser({ database, clock }, { email: 'ada@example.com', orgSlug: 'acme' });
    scope = { organizationId: admitted.organization.id, orgSlug: 'acme' };
    source = createRepository({ 'a.txt': 'a' });
    codeIndex = manifestsOnly();
    deps = { database, codeIndex, git: { dataDir, allowHosts: [] }, clock };
    const adding = { database, clock, allowLocal: true, allowHosts: [], dataDir };
    repository = await addRepository(adding, scope, { kind: 'host' }, { source: source.folder });
    payload = { organizationId: scope.organizationId, repositoryId: repository.id };
    gitDir = mirrorPath(dataDir, scope, repository.id);
    await waiting();
  });
  afterEach(async () => {
    await rm(dataDir, { recursive: true, force: true });
    await rm(source.folder, { recursive: true, force: true });
  });

  it('leads from a source to a searchable index', async () => {
    await run(cloneRepository);
    expect(await row()).toMatchObject({ state: 'indexing', indexedCommit: undefined });
    expect(await waiting()).toEqual(['repository-index']);
    now += 1000;
    await run(indexRepository);
    expect(await row()).toMatchObject({
      state: 'indexed',
      stateChangedAt: now,
      indexedCommit: head(),
      indexedAt: now,
      indexGeneration: 1,
      files: 1,
      bytes: 2,
      skipped: { binary: 1 },
      error: undefined,
      progress: undefined,
    });
    expect(await searchable()).toEqual([head()]);
  });

  it('keeps the last good index searchable during a sync', async () => {
    await indexOnce();
    const former = head();
    source.commit({ 'b.txt': 'b' });
    await syncRepository(deps, scope, { kind: 'host' }, repository.id);
    expect(await searchable()).toEqual([former]);
    await run(cloneRepository);
    expect(await searchable()).toEqual([former]);
    await run(indexRepository);
    expect(await searchable()).toEqual([head()]);
    expect(head()).not.toBe(former);
  });

  it('is updated by the tasks of pushes once it is indexed', async () => {
    await indexOnce();
    await waiting();
    source.commit({ 'b.txt': 'b' });
    await syncRepository(deps, scope, { kind: 'host' }, repository.id);
    expect(await waiting()).toEqual(['repository-fetch']);
    await run(fetchRepository);
    expect(await waiting()).toEqual(['repository-update']);
    await run(indexRepository);
    expect(await searchable()).toEqual([head()]);
  });

  it('is left to the clone job by a fetch that finds no index or no mirror', async () => {
    await run(fetchRepository);
    expect((await row()).state).toBe('queued');
    expect(await waiting()).toEqual(['repository-clone']);
    expect(existsSync(gitDir)).toBe(false);
    await indexOnce();
    await waiting();
    await rm(gitDir, { recursive: true });
    await run(fetchRepository);
    expect(await waiting()).toEqual(['repository-clone']);
    expect(existsSync(gitDir)).toBe(false);
  });

  it('does not index a commit again', async () => {
    await indexOnce();
    const { indexedAt } = await row();
    codeIndex.before = () => {
      throw new Error('the index must not be built again');
    };
    now += 5000;
    await indexOnce();
    expect(await row()).toMatchObject({ state: 'indexed', indexedAt, indexGeneration: 1 });
  });

  it('fails at once for a missing source and says what to do', async () => {
    await rm(source.folder, { recursive: true, force: true });
    await run(cloneRepository);
    const { state, error } = await row();
    expect(state).toBe('failed');
    expect(error?.code).toMatch(/^git_|validation_failed/);
    expect(error?.message).toMatch(/\S{3}/);
    expect(await waiting()).toEqual([]);
  });

  it('fails at once for an empty repository and for a missing branch', async () => {
    source.git('update-ref', '-d', 'HEAD');
    await run(cloneRepository);
    expect(await row()).toMatchObject({ state: 'failed', error: { code: 'git_empty' } });
    await database.queries.updateTable('repositories').set({ branch: 'nope' }).execute();
    source.commit({ 'a.txt': 'again' });
    await run(cloneRepository);
    expect(await row()).toMatchObject({ state: 'failed', error: { code: 'git_branch_not_found' } });
  });

  it('recovers from a failure with a sync', async () => {
    await rm(source.folder, { recursive: true, force: true });
    await run(cloneRepository);
    const { folder } = createRepository({ 'c.txt': 'c' });
    await database.queries.updateTable('repositories').set({ source: folder }).execute();
    await syncRepository(deps, scope, { kind: 'host' }, repository.id);
    await indexOnce();
    expect(await row()).toMatchObject({ state: 'indexed', error: undefined });
    await rm(folder, { recursive: true, force: true });
  });

  it('copies nothing if its folder borrows objects from the data folder', async () => {
    const alternates = join(source.folder, '.git', 'objects', 'info', 'alternates');
    await writeFile(alternates, join(dataDir, 'repositories', 'other', 'r.git', 'objects'));
    await run(cloneRepository);
    expect(await row()).toMatchObject({ state: 'failed', error: { code: 'git_not_found' } });
    expect(existsSync(gitDir)).toBe(false);
  });

  it('records a temporary error, leaves the retry to the queue and fails with the last attempt', async () => {
    await run(cloneRepository);
    codeIndex.before = () => {
      throw new GitError('unreachable', 'The host does not answer.');
    };
    await expect(run(indexRepository)).rejects.toThrow('does not answer');
    expect(await row()).toMatchObject({
      state: 'indexing',
      error: { code: 'git_unreachable', message: 'The host does not answer.' },
    });
    await expect(run(indexRepository, { attempt: 6 })).rejects.toThrow('does not answer');
    expect((await row()).state).toBe('failed');
  });

  it('writes the message of an unexpected error only to the log', async () => {
    await run(cloneRepository);
    codeIndex.before = () => {
      throw new Error('secret path /srv/x');
    };
    await expect(run(indexRepository)).rejects.toThrow('secret path');
    const { error } = await row();
    expect(error).toMatchObject({ code: 'internal', message: expect.not.stringContaining('secret') });
  });

  it('stays searchable with the last good index after a failed sync', async () => {
    await indexOnce();
    const former = head();
    await rm(source.folder, { recursive: true, force: true });
    await run(cloneRepository);
    expect((await row()).state).toBe('failed');
    expect(await searchable()).toEqual([former]);
  });

  it('shows the progress of the index', async () => {
    await run(cloneRepository);
    let seen: Repository | undefined;
    codeIndex.before = async ({ onProgress }) => {
      onProgress?.(3, 10);
      await expect.poll(async () => (seen = await row()).progress).toBeDefined();
    };
    await run(indexRepository);
    expect(seen?.progress).toEqual({ phase: 'indexing files', done: 3, total: 10 });
    expect((await row()).progress).toBeUndefined();
  });

  it('writes progress at most once a second', async () => {
    await run(cloneRepository);
    const saved = [1, 1, 1, 4, 4];
    codeIndex.before = async ({ onProgress }) => {
      for (const [index, done] of saved.entries()) {
        onProgress?.(index + 1, 5);
        await expect.poll(async () => (await row()).progress?.done).toBe(done);
        now += 400;
      }
    };
    await run(indexRepository);
    expect((await row()).state).toBe('indexed');
  });

  it('stops work on a repository that is being removed', async () => {
    await run(cloneRepository);
    let stopped = false;
    codeIndex.before = async ({ onProgress }, signal) => {
      await removeRepository(deps, scope, { kind: 'host' }, repository.id);
      onProgress?.(1, 10);
      await expect.poll(() => signal.aborted).toBe(true);
      stopped = true;
    };
    await run(indexRepository);
    expect(stopped).toBe(true);
    expect(await row()).toMatchObject({ state: 'removing', error: undefined });
    expect(codeIndex.manifests.size).toBe(0);
  });

  it('does not restore a removed repository whose work ends after the removal', async () => {
    await run(cloneRepository);
    codeIndex.before = () =>
      removeRepository(deps, scope, { kind: 'host' }, repository.id).then(() => undefined);
    await run(indexRepository);
    expect((await row()).state).toBe('removing');
    expect(await searchable()).toEqual([]);
  });

  it('keeps the state removing when the work fails', async () => {
    await run(cloneRepository);
    codeIndex.before = async () => {
      await removeRepository(deps, scope, { kind: 'host' }, repository.id);
      throw new GitError('damaged', 'An object is missing.');
    };
    await run(indexRepository);
    expect(await row()).toMatchObject({ state: 'removing', error: undefined });
  });

  it('has no effect after its lease is lost', async () => {
    await run(cloneRepository);
    for (const moment of ['before', 'after'] as const) {
      const lease = new AbortController();
      codeIndex[moment] = () => lease.abort(new Error('lease lost'));
      await expect(run(indexRepository, { signal: lease.signal })).rejects.toThrow('lease lost');
      expect(await row()).toMatchObject({ state: 'indexing', error: undefined, indexedCommit: undefined });
      codeIndex[moment] = () => undefined;
    }
  });

  it('removes index, mirror and row, idempotently', async () => {
    await indexOnce();
    await removeRepository(deps, scope, { kind: 'host' }, repository.id);
    await run(eraseRepository);
    expect(codeIndex.manifests.size).toBe(0);
    expect(existsSync(gitDir)).toBe(false);
    expect(await getRepository(database.queries, scope, repository.id)).toBeUndefined();
    await run(eraseRepository);
    await run(cloneRepository);
    await run(indexRepository);
    expect(existsSync(gitDir)).toBe(false);
  });

  it('deletes nothing of a repository that is not being removed', async () => {
    await indexOnce();
    await run(eraseRepository);
    expect(await searchable()).toEqual([head()]);
    expect(existsSync(gitDir)).toBe(true);
  });

  it('clones again when the mirror is lost', async () => {
    await run(cloneRepository);
    await waiting();
    await rm(gitDir, { recursive: true });
    await run(indexRepository);
    expect((await row()).state).toBe('queued');
    expect(await waiting()).toEqual(['repository-clone']);
    await indexOnce();
    expect((await row()).state).toBe('indexed');
  });

  it('clones again instead of fetching into a damaged mirror', async () => {
    await run(cloneRepository);
    await rm(join(gitDir, 'objects'), { recursive: true });
    await writeFile(join(gitDir, 'HEAD'), 'damaged');
    source.commit({ 'b.txt': 'b' });
    await indexOnce();
    expect(await searchable()).toEqual([head()]);
  });

  it('ignores a payload that names another organization', async () => {
    const admitted = await admitUser(deps, { email: 'bob@example.com', orgSlug: 'globex' });
    payload = { ...payload, organizationId: admitted.organization.id };
    await run(cloneRepository);
    await run(indexRepository);
    await run(eraseRepository);
    expect((await row()).state).toBe('queued');
    expect(await waiting()).toEqual([]);
  });

  it('is repaired from the manifest after a kill between manifest and row', async () => {
    await indexOnce();
    source.commit({ 'b.txt': 'b' });
    await run(cloneRepository);
    await waiting();
    const status = indexStatus({ generation: 2, commit: head(), files: 2, bytes: 4 });
    codeIndex.manifests.set(repository.id, status);
    await repairRepositories(deps);
    expect(await row()).toMatchObject({ indexedCommit: head(), indexGeneration: 2, files: 2 });
    expect(await waiting()).toEqual([repositoryClone.name]);
  });

  it.each(['queued', 'cloning', 'indexing'] as const)('gets a job when it is stuck in %s', async (state) => {
    await database.queries.updateTable('repositories').set({ state }).execute();
    await repairRepositories(deps);
    await repairRepositories(deps);
    expect(await waiting()).toEqual(['repository-clone']);
    await indexOnce();
    expect((await row()).state).toBe('indexed');
  });

  it('deletes old leftovers of killed clones', async () => {
    const [old, fresh] = [`${gitDir}.tmp-old`, `${gitDir}.tmp-fresh`];
    for (const folder of [old, fresh]) await mkdir(folder, { recursive: true });
    await utimes(old, 0, 0);
    await repairRepositories(deps);
    expect([existsSync(old), existsSync(fresh)]).toEqual([false, true]);
  });

  it('continues the removal after a restart', async () => {
    await removeRepository(deps, scope, { kind: 'host' }, repository.id);
    await waiting();
    await repairRepositories(deps);
    expect(await waiting()).toEqual(['repository-remove']);
  });

  it.each([
    ['the next start', repairRepositories],
    ['the worker that runs', reconcileRepositories],
  ])('rebuilds a lost index by %s, and reports it as damaged until then', async (_by, look) => {
    await indexOnce();
    await waiting();
    codeIndex.manifests.clear();
    await look(deps);
    await look(deps);
    expect(await row()).toMatchObject({ state: 'indexing', indexedCommit: head() });
    expect(await waiting()).toEqual(['repository-index']);
    await run(indexRepository);
    expect((await row()).state).toBe('indexed');
    await look(deps);
    expect(await waiting()).toEqual(['repository-project']);
  });

  it('does not clone at intervals if index and mirror are lost after a permanent failure', async () => {
    await indexOnce();
    await waiting();
    codeIndex.manifests.clear();
    await database.queries.updateTable('repositories').set({ state: 'failed' }).execute();
    await rm(gitDir, { recursive: true });
    await reconcileRepositories(deps);
    expect(await waiting()).toEqual([]);
    await repairRepositories(deps);
    expect(await waiting()).toEqual(['repository-index']);
  });

  it('does not rebuild an index that never existed', async () => {
    await waiting();
    await database.queries.updateTable('repositories').set({ state: 'failed' }).execute();
    await reconcileRepositories(deps);
    await repairRepositories(deps);
    expect(await waiting()).toEqual([]);
  });

  it('is not changed by a restart if there is nothing to repair', async () => {
    await indexOnce();
    await waiting();
    const before = await row();
    await repairRepositories(deps);
    expect(await row()).toEqual(before);
    expect(await waiting()).toEqual([]);
  });
});

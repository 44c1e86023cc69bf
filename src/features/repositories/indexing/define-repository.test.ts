import { join } from 'node:path';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { openTestIndex } from '../../../../test/support/codesearch/open-test-index.ts';
import { describeEachDatabase } from '../../../../test/support/database/databases.ts';
import { createRepository, type TestRepository } from '../../../../test/support/git/git-repository.ts';
import { jobContext } from '../../../../test/support/jobs/job-context.ts';
import { silentLog } from '../../../../test/support/silent-log.ts';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import type { CodeIndex } from '../../../backends/codesearch/port.ts';
import type { Database } from '../../../foundation/db/database.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import { admitUser } from '../../identity/people/admit-user.ts';
import { reconcileRepositories } from '../reconciling/reconcile-repositories.ts';
import { repairRepositories } from '../reconciling/repair-repositories.ts';
import type { WorkDeps } from '../reconciling/repository-work.ts';
import type { Repository } from '../repository.ts';
import { toRepositoryRecord } from '../repository-record.ts';
import { changeState } from '../repository-state-store.ts';
import { requireRepository } from '../repository-store.ts';
import { addRepository } from '../setup/add-repository.ts';
import type { RepositoryPayload } from '../tasks.ts';
import { cloneRepository } from './clone-repository.ts';
import { defineRepository } from './define-repository.ts';
import { indexRepository } from './index-repository.ts';

describeEachDatabase('definitions of a repository', (open) => {
  let database: Database;
  let codeIndex: CodeIndex;
  let deps: WorkDeps;
  let scope: OrgScope;
  let source: TestRepository;
  let payload: RepositoryPayload;
  const now = 1_800_000_000_000;

  const row = (): Promise<Repository> => requireRepository(database.queries, scope, payload.repositoryId);
  const changeTo = (state: 'queued' | 'failed') =>
    changeState(database.queries, { scope, id: payload.repositoryId }, state, now);
  const sync = async (): Promise<void> => {
    await changeTo('queued');
    await cloneRepository(deps, payload, jobContext({}));
    await database.queries.deleteFrom('jobs').execute();
    await indexRepository(deps, payload, jobContext({}));
  };
  const takeJobs = async (): Promise<string[]> => {
    const jobs = await database.queries.selectFrom('jobs').select('task').orderBy('task').execute();
    await database.queries.deleteFrom('jobs').execute();
    return jobs.map(({ task }) => task);
  };
  /** Replaces `define`, which the next run calls. */
  const whileDefining = (define: CodeIndex['define']): void => {
    deps = { ...deps, codeIndex: { ...codeIndex, define } };
  };

  beforeAll(async () => {
    database = await open();
  });
  beforeEach(async () => {
    await database.queries.deleteFrom('jobs').execute();
    await database.queries.deleteFrom('repositories').execute();
    const dataDir = temporaryFolder();
    const clock = (): number => now;
    const admitted = await admitUser({ database, clock }, { email: 'ada@example.com', orgSlug: 'acme' });
    scope = { organizationId: admitted.organization.id, orgSlug: 'acme' };
    source = createRepository({ 'a.ts': 'function first() {}\n', 'b.ts': 'function second() {}\n' });
    codeIndex = openTestIndex({ root: join(dataDir, 'codesearch'), log: silentLog });
    deps = { database, codeIndex, git: { dataDir, allowHosts: [] }, clock };
    const adding = { database, clock, allowLocal: true, allowHosts: [], dataDir };
    const { id } = await addRepository(adding, scope, { kind: 'host' }, { source: source.folder });
    payload = { organizationId: scope.organizationId, repositoryId: id };
  });

  it('are read by the index job once the repository is searchable', async () => {
    let seen: Repository | undefined;
    whileDefining(async (request, signal) => {
      seen = await row();
      return codeIndex.define(request, signal);
    });
    await sync();
    expect(seen).toMatchObject({
      state: 'indexed',
      files: 2,
      filesWithoutDefinitions: 2,
      indexGeneration: 1,
    });
    expect(toRepositoryRecord(seen!)).toMatchObject({ state: 'indexed', filesWithoutDefinitions: 2 });
    expect(await row()).toMatchObject({ state: 'indexed', filesWithoutDefinitions: 0, indexGeneration: 2 });
    expect(toRepositoryRecord(await row())).not.toHaveProperty('filesWithoutDefinitions');
    expect(await takeJobs()).toEqual(['repository-compact', 'repository-project']);
  });

  it('are read by a job of their own if they take longer than one call', async () => {
    whileDefining(() => codeIndex.status(scope, payload.repositoryId) as ReturnType<CodeIndex['define']>);
    await sync();
    expect(await takeJobs()).toContain('repository-define');
    let calls = 0;
    whileDefining(async (request, signal) => {
      calls += 1;
      const status = await codeIndex.status(scope, payload.repositoryId);
      return calls < 3 ? status! : codeIndex.define(request, signal);
    });
    await defineRepository(deps, payload, jobContext({}));
    expect(calls).toBe(3);
    expect(await row()).toMatchObject({ state: 'indexed', filesWithoutDefinitions: 0, indexGeneration: 2 });
  });

  it('stop for a push, whose job reads them', async () => {
    whileDefining(async (_, signal) => {
      await changeTo('queued');
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error));
      });
    });
    await sync();
    expect(await row()).toMatchObject({ state: 'queued', filesWithoutDefinitions: 2 });
    expect(await takeJobs()).not.toContain('repository-define');
    deps = { ...deps, codeIndex };
    source.commit({ 'c.ts': 'function third() {}\n' });
    await sync();
    // On a busy machine the first call ends before it has read them.
    if ((await takeJobs()).includes('repository-define'))
      await defineRepository(deps, payload, jobContext({}));
    expect(await row()).toMatchObject({ state: 'indexed', files: 3, filesWithoutDefinitions: 0 });
  });

  it('are retried by a job of their own after an error, and the repository stays indexed', async () => {
    whileDefining(async () => {
      throw new Error('the reader failed');
    });
    await sync();
    expect(await row()).toMatchObject({ state: 'indexed', error: undefined, filesWithoutDefinitions: 2 });
    expect(await takeJobs()).toContain('repository-define');
    await expect(defineRepository(deps, payload, jobContext({}))).rejects.toThrow('the reader failed');
    expect((await row()).state).toBe('indexed');
  });

  it('are not recorded after the lease is lost to another run', async () => {
    await sync();
    source.commit({ 'c.ts': 'function third() {}\n' });
    const lost = async (): Promise<void> => {
      throw new Error('another run holds it');
    };
    whileDefining(async (request, signal) => ({
      ...(await codeIndex.define(request, signal)),
      filesWithoutDefinitions: 77,
    }));
    await expect(defineRepository(deps, payload, jobContext({ assertHeld: lost }))).rejects.toThrow(
      'another run holds it',
    );
    expect((await row()).filesWithoutDefinitions).toBe(0);
  });

  it.each([
    ['the next start of a worker', repairRepositories],
    ['the next reconciliation', reconcileRepositories],
  ])('are resumed by %s after a kill, unless a job does it or died of it', async (_, resume) => {
    whileDefining(() => codeIndex.status(scope, payload.repositoryId) as ReturnType<CodeIndex['define']>);
    await sync();
    const definingJobs = async (): Promise<number> =>
      (await takeJobs()).filter((task) => task === 'repository-define').length;
    await takeJobs();
    for (let lost = 0; lost < 2; lost++) {
      await resume(deps);
      await resume(deps);
      expect(await definingJobs()).toBe(1);
    }
    await resume(deps);
    await database.queries.updateTable('jobs').set({ state: 'dead', attempts: 6 }).execute();
    await resume(deps);
    expect(await definingJobs()).toBe(1);
  });

  it('of a row that a kill left behind are counted again at the next start', async () => {
    await sync();
    await database.queries.updateTable('repositories').set({ files_without_definitions: 5 }).execute();
    await takeJobs();
    await repairRepositories(deps);
    expect((await row()).filesWithoutDefinitions).toBe(0);
    expect(await takeJobs()).not.toContain('repository-define');
  });
});

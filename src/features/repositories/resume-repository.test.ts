import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, expect, it } from 'vitest';
import { openTestIndex } from '../../../test/support/codesearch/open-test-index.ts';
import { describeEachDatabase } from '../../../test/support/database/databases.ts';
import { createRepository } from '../../../test/support/git/git-repository.ts';
import { silentLog } from '../../../test/support/silent-log.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import type { Database } from '../../foundation/db/database.ts';
import { claimJobs } from '../../foundation/jobs/claim/claim.ts';
import type { ClaimedJobs } from '../../foundation/jobs/claim/claimed-job.ts';
import { handle } from '../../foundation/jobs/handler.ts';
import { reapExpiredLeases } from '../../foundation/jobs/lease/reap.ts';
import { completeJobs } from '../../foundation/jobs/worker/complete-jobs.ts';
import type { Complete } from '../../foundation/jobs/worker/group-completions.ts';
import { runJobs } from '../../foundation/jobs/worker/run-jobs.ts';
import { systemClock as clock } from '../../foundation/kernel/clock.ts';
import type { OrgScope } from '../../foundation/kernel/org-scope.ts';
import { admitUser } from '../identity/people/admit-user.ts';
import { cloneRepository } from './indexing/clone-repository.ts';
import { indexRepository } from './indexing/index-repository.ts';
import { reconcileRepositories } from './reconciling/reconcile-repositories.ts';
import { repairRepositories } from './reconciling/repair-repositories.ts';
import type { WorkDeps } from './reconciling/repository-work.ts';
import type { Repository } from './repository.ts';
import { getRepository } from './repository-store.ts';
import { addRepository } from './setup/add-repository.ts';
import { removeRepository } from './setup/remove-repository.ts';
import { syncRepository } from './sync-repository.ts';
import { repositoryClone, repositoryIndex, repositoryRemove } from './tasks.ts';

describeEachDatabase('a repository whose worker was killed during its job', (open) => {
  const leaseMs = 5;
  let database: Database;
  let deps: WorkDeps;
  let scope: OrgScope;
  let repository: Repository;

  beforeEach(async () => {
    database = await open();
    const dataDir = temporaryFolder();
    const codeIndex = openTestIndex({ root: join(dataDir, 'codesearch'), log: silentLog });
    deps = { database, codeIndex, git: { dataDir, allowHosts: [] }, clock };
    const { organization } = await admitUser(deps, { email: 'ada@example.com', orgSlug: 'acme' });
    scope = { organizationId: organization.id, orgSlug: 'acme' };
    const source = createRepository({ 'a.txt': 'a' }).folder;
    repository = await addRepository(
      { ...deps, ...deps.git, allowLocal: true },
      scope,
      { kind: 'host' },
      { source },
    );
  });

  const row = async (): Promise<Repository | undefined> =>
    getRepository(database.queries, scope, repository.id);
  const jobs = async () =>
    database.queries.selectFrom('jobs').select(['task', 'state', 'attempts']).orderBy('created_at').execute();
  const claim = async (ms = leaseMs): Promise<ClaimedJobs> => {
    const tasks = [repositoryClone, repositoryIndex, repositoryRemove].map(({ name }) => name);
    const [leased] = await claimJobs(database, { tasks, leaseMs: ms, clock }, 1);
    return leased ?? Promise.reject(new Error('there is no job to claim'));
  };
  const work = async (): Promise<void> => {
    const leased = await claim(30_000);
    const bound = [
      handle(repositoryClone, (payload, context) => cloneRepository(deps, payload, context)),
      handle(repositoryIndex, (payload, context) => indexRepository(deps, payload, context)),
    ].find(({ task }) => task.name === leased[0].task);
    if (bound === undefined) throw new Error(`nothing does ${leased[0].task}`);
    const complete: Complete = (done) => completeJobs(database, done);
    await runJobs(
      { database, clock, log: silentLog, complete },
      { bound, jobs: leased, signal: new AbortController().signal },
    );
  };
  /**
   * Kills a worker during a job, which makes it a suspect. That run counts as no attempt. The next worker repairs at its
   * start, and reconciles when the lease has expired.
   */
  const crash = async (): Promise<string> => {
    const [{ task }] = await claim();
    await repairRepositories(deps);
    await sleep(leaseMs + 2);
    await reapExpiredLeases(database, clock);
    await reconcileRepositories(deps);
    return task;
  };

  it('fails for good when indexing has killed every worker that tried', async () => {
    await work();
    for (let crashes = 0; crashes <= repositoryIndex.maxAttempts; crashes += 1) {
      expect((await row())?.state).toBe('indexing');
      expect(await crash()).toBe('repository-index');
    }
    const dead = [{ task: 'repository-index', state: 'dead', attempts: 6 }];
    expect(await jobs()).toEqual(dead);
    expect(await row()).toMatchObject({
      state: 'failed',
      error: { code: 'worker_lost', message: expect.stringMatching(/crashed 6 times.*log.*sync/) },
    });
    await repairRepositories(deps);
    expect(await jobs()).toEqual(dead);
  });

  it('fails for good when cloning has killed every worker that tried', async () => {
    for (let crashes = 0; crashes <= repositoryClone.maxAttempts; crashes += 1) {
      expect(await crash()).toBe('repository-clone');
    }
    expect(await row()).toMatchObject({ state: 'failed', error: { code: 'worker_lost' } });
  });

  it('is retried by a sync', async () => {
    for (let crashes = 0; crashes <= repositoryClone.maxAttempts; crashes += 1) await crash();
    await syncRepository(deps, scope, { kind: 'host' }, repository.id);
    await repairRepositories(deps);
    await work();
    await work();
    expect(await row()).toMatchObject({ state: 'indexed', error: undefined });
  });

  it('gets no second job while one is pending or running', async () => {
    await repairRepositories(deps);
    expect(await jobs()).toHaveLength(1);
    await claim(30_000);
    await repairRepositories(deps);
    expect(await jobs()).toEqual([{ task: 'repository-clone', state: 'running', attempts: 1 }]);
  });

  it('records why its removal stopped, and continues when the removal is requested again', async () => {
    await database.queries.deleteFrom('jobs').execute();
    await removeRepository(deps, scope, { kind: 'host' }, repository.id);
    for (let crashes = 0; crashes <= repositoryRemove.maxAttempts; crashes += 1) await crash();
    expect(await row()).toMatchObject({ state: 'removing', error: { code: 'worker_lost' } });
    await repairRepositories(deps);
    expect(await jobs()).toMatchObject([{ state: 'dead' }]);
    await removeRepository(deps, scope, { kind: 'host' }, repository.id);
    expect((await claim())[0].task).toBe('repository-remove');
  });
});

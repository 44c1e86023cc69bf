import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, expect, it } from 'vitest';
import { describeEachDatabase } from '../../../test/support/databases.ts';
import { createRepository } from '../../../test/support/git-repository.ts';
import { silentLog } from '../../../test/support/silent-log.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { openCodeIndex } from '../../backends/codesearch/embedded/open-embedded-code-search.ts';
import type { Database } from '../../foundation/db/database.ts';
import { claimJobs } from '../../foundation/jobs/claim.ts';
import type { ClaimedJobs } from '../../foundation/jobs/claimed-job.ts';
import { completeJobs } from '../../foundation/jobs/complete-jobs.ts';
import type { Complete } from '../../foundation/jobs/group-completions.ts';
import { handle } from '../../foundation/jobs/handler.ts';
import { reapExpiredLeases } from '../../foundation/jobs/reap.ts';
import { runJobs } from '../../foundation/jobs/run-jobs.ts';
import { systemClock as clock } from '../../foundation/kernel/clock.ts';
import type { OrgScope } from '../../foundation/kernel/org-scope.ts';
import { admitUser } from '../identity/people/admit-user.ts';
import { addRepository } from './add-repository.ts';
import { cloneRepository } from './clone-repository.ts';
import { indexRepository } from './index-repository.ts';
import { removeRepository } from './remove-repository.ts';
import { repairRepositories } from './repair-repositories.ts';
import type { Repository } from './repository.ts';
import { getRepository } from './repository-store.ts';
import type { WorkDeps } from './repository-work.ts';
import { syncRepository } from './sync-repository.ts';
import { repositoryClone, repositoryIndex, repositoryRemove } from './tasks.ts';
import { tendRepositories } from './tend-repositories.ts';

describeEachDatabase('a repository whose job was lost with its worker', (open) => {
  const leaseMs = 5;
  let database: Database;
  let deps: WorkDeps;
  let scope: OrgScope;
  let repository: Repository;

  beforeEach(async () => {
    database = await open();
    const dataDir = temporaryFolder();
    const codeIndex = openCodeIndex({ root: join(dataDir, 'codesearch'), log: silentLog });
    deps = { database, codeIndex, git: { dataDir, allowHosts: [] }, clock };
    const { organization } = await admitUser(deps, { email: 'ada@example.com', orgSlug: 'acme' });
    scope = { organizationId: organization.id, orgSlug: 'acme' };
    const source = createRepository({ 'a.txt': 'a' }).folder;
    repository = await addRepository({ ...deps, ...deps.git, allowLocal: true }, scope, { source });
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
  /** A worker takes a job and dies of it; its successor repairs at its start and tends when the lease has ended. */
  const crash = async (): Promise<string> => {
    const [{ task }] = await claim();
    await repairRepositories(deps);
    await sleep(leaseMs + 2);
    await reapExpiredLeases(database, clock);
    await tendRepositories(deps);
    return task;
  };

  it('is failed when the index has killed every worker that tried, and stays so', async () => {
    await work();
    for (let crashes = 1; crashes <= repositoryIndex.maxAttempts; crashes += 1) {
      expect((await row())?.state).toBe('indexing');
      expect(await crash()).toBe('repository-index');
    }
    const dead = [{ task: 'repository-index', state: 'dead', attempts: 6 }];
    expect(await jobs()).toEqual(dead);
    expect(await row()).toMatchObject({
      state: 'failed',
      error: { code: 'worker_lost', message: expect.stringMatching(/died 6 times.*log.*sync/) },
    });
    await repairRepositories(deps);
    expect(await jobs()).toEqual(dead);
  });

  it('is failed alike when the clone does it', async () => {
    for (let crashes = 1; crashes <= repositoryClone.maxAttempts; crashes += 1) {
      expect(await crash()).toBe('repository-clone');
    }
    expect(await row()).toMatchObject({ state: 'failed', error: { code: 'worker_lost' } });
  });

  it('is tried again by a sync', async () => {
    for (let crashes = 1; crashes <= repositoryClone.maxAttempts; crashes += 1) await crash();
    await syncRepository(deps, scope, repository.id);
    await repairRepositories(deps);
    await work();
    await work();
    expect(await row()).toMatchObject({ state: 'indexed', error: undefined });
  });

  it('gets no second job beside one that waits or runs', async () => {
    await repairRepositories(deps);
    expect(await jobs()).toHaveLength(1);
    await claim(30_000);
    await repairRepositories(deps);
    expect(await jobs()).toEqual([{ task: 'repository-clone', state: 'running', attempts: 1 }]);
  });

  it('says why its removal has stopped, and goes on when asked again', async () => {
    await database.queries.deleteFrom('jobs').execute();
    await removeRepository(deps, scope, repository.id);
    for (let crashes = 1; crashes <= repositoryRemove.maxAttempts; crashes += 1) await crash();
    expect(await row()).toMatchObject({ state: 'removing', error: { code: 'worker_lost' } });
    await repairRepositories(deps);
    expect(await jobs()).toMatchObject([{ state: 'dead' }]);
    await removeRepository(deps, scope, repository.id);
    expect((await claim())[0].task).toBe('repository-remove');
  });
});

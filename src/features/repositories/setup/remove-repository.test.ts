import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openTestIndex } from '../../../../test/support/codesearch/open-test-index.ts';
import { describeEachDatabase } from '../../../../test/support/database/databases.ts';
import { commitBomb } from '../../../../test/support/git/forged-trees.ts';
import { createRepository, type TestRepository } from '../../../../test/support/git/git-repository.ts';
import { silentLog } from '../../../../test/support/silent-log.ts';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import type { CodeIndex } from '../../../backends/codesearch/port.ts';
import type { Database } from '../../../foundation/db/database.ts';
import { enqueue } from '../../../foundation/jobs/enqueue.ts';
import { handle } from '../../../foundation/jobs/handler.ts';
import { openWorker, type Worker } from '../../../foundation/jobs/worker/worker.ts';
import { systemClock } from '../../../foundation/kernel/clock.ts';
import { newId, type RepositoryId } from '../../../foundation/kernel/ids.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import { admitUser } from '../../identity/people/admit-user.ts';
import { cloneRepository } from '../indexing/clone-repository.ts';
import { eraseRepository } from '../indexing/erase-repository.ts';
import { indexRepository } from '../indexing/index-repository.ts';
import { mirrorPath } from '../indexing/mirror-path.ts';
import type { WorkDeps } from '../reconciling/repository-work.ts';
import type { Repository } from '../repository.ts';
import { getRepository } from '../repository-store.ts';
import { repositoryClone, repositoryCompact, repositoryIndex, repositoryRemove } from '../tasks.ts';
import { addRepository } from './add-repository.ts';
import { removeRepository } from './remove-repository.ts';

describeEachDatabase('the removal of a repository during work on it', (open) => {
  let database: Database;
  let dataDir: string;
  let scope: OrgScope;
  let source: TestRepository;
  let codeIndex: CodeIndex;
  let worker: Worker;

  beforeEach(async () => {
    database = await open();
    dataDir = temporaryFolder();
    source = createRepository({ 'a.txt': 'a' });
    codeIndex = openTestIndex({ root: join(dataDir, 'codesearch'), log: silentLog });
    const user = { email: 'ada@example.com', orgSlug: 'acme' };
    const { organization } = await admitUser({ database, clock: systemClock }, user);
    scope = { organizationId: organization.id, orgSlug: 'acme' };
  });
  afterEach(() => worker.stop(0));

  const start = (): void => {
    const deps: WorkDeps = { database, codeIndex, git: { dataDir, allowHosts: [] }, clock: systemClock };
    const tasks = [
      handle(repositoryClone, (payload, context) => cloneRepository(deps, payload, context)),
      handle(repositoryIndex, (payload, context) => indexRepository(deps, payload, context)),
      handle(repositoryRemove, (payload) => eraseRepository(deps, payload)),
    ];
    worker = openWorker({ database, tasks, log: silentLog, clock: systemClock, concurrency: 2 });
    worker.start();
  };
  const add = (): Promise<Repository> => {
    const deps = { database, clock: systemClock, allowLocal: true, allowHosts: [], dataDir };
    return addRepository(deps, scope, { kind: 'host' }, { source: source.folder });
  };

  it('stops work that reports no progress and deletes everything', async () => {
    let stopped = false;
    const began = Promise.withResolvers<void>();
    const { apply } = codeIndex;
    codeIndex = {
      ...codeIndex,
      apply: async (request, signal) => {
        await apply(request, signal);
        began.resolve();
        await once(signal, 'abort');
        stopped = true;
        throw signal.reason;
      },
    };
    const { id } = await add();
    start();
    await began.promise;
    await removeRepository({ database, clock: systemClock }, scope, { kind: 'host' }, id);
    await expect.poll(() => getRepository(database.queries, scope, id)).toBeUndefined();
    expect(stopped).toBe(true);
    expect(existsSync(mirrorPath(dataDir, scope, id))).toBe(false);
    expect(await codeIndex.status(scope, id)).toBeUndefined();
    // The end of the removal is recorded after the row is deleted. This worker does not handle the job of the graph.
    const jobs = () => database.queries.selectFrom('jobs').select('task').execute();
    await expect.poll(jobs).toEqual([{ task: 'repository-project' }]);
  });

  it('deletes a repository that could not be indexed', async () => {
    commitBomb(source);
    const { id } = await add();
    start();
    const row = () => getRepository(database.queries, scope, id);
    await expect.poll(row).toMatchObject({
      state: 'failed',
      error: { code: 'too_many_files' },
    });
    // The end of the job is recorded after the state.
    const jobs = () => database.queries.selectFrom('jobs').select('task').execute();
    await expect.poll(jobs).toEqual([]);
    await removeRepository({ database, clock: systemClock }, scope, { kind: 'host' }, id);
    await expect.poll(row).toBeUndefined();
  });

  it('takes its dead jobs along, and no others', async () => {
    const { id } = await add();
    const others = await enqueueDead(repositoryClone, newId<RepositoryId>());
    for (const task of [repositoryClone, repositoryIndex, repositoryCompact, repositoryRemove]) {
      await enqueueDead(task, id);
    }
    start();
    await removeRepository({ database, clock: systemClock }, scope, { kind: 'host' }, id);
    await expect.poll(() => getRepository(database.queries, scope, id)).toBeUndefined();
    await worker.stop(60_000);
    const left = await database.queries
      .selectFrom('jobs')
      .select('key')
      .where('state', '=', 'dead')
      .execute();
    expect(left).toEqual([{ key: others }]);
  });

  async function enqueueDead(task: typeof repositoryClone, repositoryId: RepositoryId): Promise<string> {
    const { queries } = database;
    const payload = { organizationId: scope.organizationId, repositoryId };
    await queries.deleteFrom('jobs').where('task', '=', task.name).where('key', '=', repositoryId).execute();
    await database.transaction((tx) => enqueue(tx, task, payload));
    await queries
      .updateTable('jobs')
      .set({ state: 'dead' })
      .where('task', '=', task.name)
      .where('key', '=', repositoryId)
      .execute();
    return repositoryId;
  }
});

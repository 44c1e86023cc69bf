import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { openTestIndex } from '../../../../test/support/codesearch/open-test-index.ts';
import { describeEachDatabase } from '../../../../test/support/database/databases.ts';
import { createRepository, type TestRepository } from '../../../../test/support/git/git-repository.ts';
import { jobContext } from '../../../../test/support/jobs/job-context.ts';
import { silentLog } from '../../../../test/support/silent-log.ts';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import type { CodeIndex } from '../../../backends/codesearch/port.ts';
import type { Database } from '../../../foundation/db/database.ts';
import type { JobContext } from '../../../foundation/jobs/handler.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import { admitUser } from '../../identity/people/admit-user.ts';
import { repairRepositories } from '../reconciling/repair-repositories.ts';
import type { WorkDeps } from '../reconciling/repository-work.ts';
import { changeState } from '../repository-state-store.ts';
import { getRepository } from '../repository-store.ts';
import { addRepository } from '../setup/add-repository.ts';
import type { RepositoryPayload } from '../tasks.ts';
import { cloneRepository } from './clone-repository.ts';
import { compactRepository } from './compact-repository.ts';
import { indexRepository } from './index-repository.ts';
import { mirrorPath } from './mirror-path.ts';

describeEachDatabase('a fragmented index of a repository', (open) => {
  let database: Database;
  let codeIndex: CodeIndex;
  let deps: WorkDeps;
  let scope: OrgScope;
  let source: TestRepository;
  let payload: RepositoryPayload;
  const now = 1_800_000_000_000;

  const run = (
    handler: (deps: WorkDeps, payload: RepositoryPayload, context: JobContext) => Promise<void>,
    context: Partial<JobContext> = {},
  ): Promise<void> => handler(deps, payload, jobContext(context));
  const sync = async (): Promise<void> => {
    await changeState(database.queries, { scope, id: payload.repositoryId }, 'queued', now);
    await run(cloneRepository);
    await run(indexRepository);
  };
  const push = async (files: Record<string, string>): Promise<void> => {
    source.commit(files);
    await sync();
  };
  const waiting = async (): Promise<readonly { task: string; priority: number }[]> => {
    const jobs = await database.queries
      .selectFrom('jobs')
      .select(['task', 'priority'])
      .orderBy('id')
      .execute();
    await database.queries.deleteFrom('jobs').execute();
    return jobs;
  };
  const row = () => getRepository(database.queries, scope, payload.repositoryId);
  const status = () => codeIndex.status(scope, payload.repositoryId);

  beforeAll(async () => {
    database = await open();
  });
  beforeEach(async () => {
    await database.queries.deleteFrom('repositories').execute();
    const dataDir = temporaryFolder();
    const clock = (): number => now;
    const admitted = await admitUser({ database, clock }, { email: 'ada@example.com', orgSlug: 'acme' });
    scope = { organizationId: admitted.organization.id, orgSlug: 'acme' };
    source = createRepository({ 'a.txt': 'a\n', 'b.txt': 'b\n' });
    codeIndex = openTestIndex({ root: join(dataDir, 'codesearch'), log: silentLog });
    deps = { database, codeIndex, git: { dataDir, allowHosts: [] }, clock };
    const adding = { database, clock, allowLocal: true, allowHosts: [], dataDir };
    const { id } = await addRepository(adding, scope, { kind: 'host' }, { source: source.folder });
    payload = { organizationId: scope.organizationId, repositoryId: id };
    await push({});
    await run(compactRepository);
    await waiting();
  });
  afterEach(async () => {
    await waiting();
  });

  it('is compacted by a job of the lowest priority, which updates the row', async () => {
    await push({ 'a.txt': 'changed\n' });
    expect((await status())?.needsCompaction).toBe(true);
    const jobs = await waiting();
    expect(jobs.map(({ task }) => task)).toContain('repository-compact');
    expect(jobs.find(({ task }) => task === 'repository-compact')?.priority).toBeLessThan(0);
    await run(compactRepository);
    expect(await status()).toMatchObject({ needsCompaction: false, files: 2 });
    expect(await row()).toMatchObject({ state: 'indexed', indexGeneration: (await status())?.generation });
  });

  it('tells Git which commits changed a path, also after a writer was killed', async () => {
    const gitDir = mirrorPath(deps.git.dataDir, scope, payload.repositoryId);
    writeFileSync(join(gitDir, 'objects/info/commit-graphs/commit-graph-chain.lock'), '');
    await push({ 'a.txt': 'changed\n' });
    await run(compactRepository);
    const events = join(temporaryFolder(), 'events');
    const env = { ...process.env, GIT_TRACE2_EVENT: events };
    execFileSync('git', [`--git-dir=${gitDir}`, 'log', '--', 'b.txt'], { env });
    expect(readFileSync(events, 'utf8')).toMatch(/"definitely_not":[1-9]/u);
  });

  it('is compacted although the mirror lacks an object of an old commit', async () => {
    const gitDir = mirrorPath(deps.git.dataDir, scope, payload.repositoryId);
    await push({ 'a.txt': 'changed\n' });
    const git = (...args: readonly string[]): string =>
      execFileSync('git', [`--git-dir=${gitDir}`, ...args], { encoding: 'utf8' }).trim();
    const lacking = git(
      'commit-tree',
      '-m',
      'Lacks its parent',
      '-p',
      'refs/orgctx/source',
      'refs/orgctx/source^{tree}',
    );
    const tip = git('commit-tree', '-m', 'Tip', '-p', lacking, 'refs/orgctx/source^{tree}');
    git('update-ref', 'refs/orgctx/other', tip);
    rmSync(join(gitDir, 'objects', lacking.slice(0, 2), lacking.slice(2)));
    await run(compactRepository);
    expect((await status())?.needsCompaction).toBe(false);
  });

  it('has no compaction job if there is nothing to compact', async () => {
    await sync();
    expect((await waiting()).map(({ task }) => task)).not.toContain('repository-compact');
  });

  it('is not compacted further when a push is pending', async () => {
    await push({ 'a.txt': 'changed\n' });
    const before = await status();
    const slow: CodeIndex = {
      ...codeIndex,
      compact: async (request, signal) => {
        await changeState(database.queries, { scope, id: payload.repositoryId }, 'queued', now);
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        return codeIndex.compact(request, signal);
      },
    };
    deps = { ...deps, codeIndex: slow };
    await run(compactRepository);
    expect(await status()).toEqual(before);
    expect((await row())?.state).toBe('queued');
  });

  it('is not compacted while other work on the repository is pending', async () => {
    await push({ 'a.txt': 'changed\n' });
    const before = await status();
    await changeState(database.queries, { scope, id: payload.repositoryId }, 'queued', now);
    await run(compactRepository);
    expect(await status()).toEqual(before);
  });

  it('does not update the row after its lease is lost to another run', async () => {
    await push({ 'a.txt': 'changed\n' });
    const before = await row();
    const lost = async (): Promise<void> => {
      throw new Error('another run holds it');
    };
    await expect(run(compactRepository, { assertHeld: lost })).rejects.toThrow('another run holds it');
    expect((await row())?.indexGeneration).toBe(before?.indexGeneration);
  });

  it('is compacted after a kill of the worker before the compaction', async () => {
    await push({ 'a.txt': 'changed\n' });
    await waiting();
    await repairRepositories(deps);
    expect((await waiting()).map(({ task }) => task)).toEqual(['repository-compact']);
  });
});

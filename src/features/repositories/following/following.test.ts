import { rmSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type GitHttpServer, startGitHttpServer } from '../../../../test/standins/git-http-server.ts';
import { manifestsOnly } from '../../../../test/support/codesearch/manifests-only.ts';
import { describeEachDatabase, itWhen } from '../../../../test/support/database/databases.ts';
import { jobContext } from '../../../../test/support/jobs/job-context.ts';
import { createRemote } from '../../../../test/support/mirror/mirror-remote.ts';
import { silentLog } from '../../../../test/support/silent-log.ts';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import type { CodeIndex } from '../../../backends/codesearch/port.ts';
import { dataFolder } from '../../../foundation/kernel/data-folder.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import { admitUser } from '../../identity/people/admit-user.ts';
import { cloneRepository } from '../indexing/clone-repository.ts';
import { fetchRepository } from '../indexing/fetch-repository.ts';
import { indexRepository } from '../indexing/index-repository.ts';
import type { Repository } from '../repository.ts';
import { requireRepository } from '../repository-store.ts';
import { addRepository } from '../setup/add-repository.ts';
import type { FollowDeps } from './check-source.ts';
import { checkDelay } from './check-times.ts';
import { followingJobs } from './jobs.ts';

const minute = 60_000;
const syncIntervalMs = 15 * minute;

/** A code index that stores nothing but the branches of each repository. */
function branchesOnly(): CodeIndex {
  const index = manifestsOnly();
  return {
    ...index,
    async apply(request, signal) {
      return { ...(await index.apply(request, signal)), branches: request.branches };
    },
  };
}

describeEachDatabase('following the source of a repository', (open, dialect) => {
  const once = itWhen(dialect === 'sqlite');
  let deps: FollowDeps;
  let scope: OrgScope;
  let host: GitHttpServer;
  let remote: ReturnType<typeof createRemote>;
  let now: number;
  let id: Repository['id'];

  beforeEach(async () => {
    const root = temporaryFolder();
    host = await startGitHttpServer({ root });
    remote = createRemote(root);
    remote.commitByHand({ 'a.txt': 'a' });
    now = 1_800_000_000_000;
    const database = await open();
    const git = { dataDir: temporaryFolder(), allowHosts: [`127.0.0.1:${host.port}`] };
    deps = { database, clock: () => now, codeIndex: branchesOnly(), git, syncIntervalMs, log: silentLog };
    const admitted = await admitUser(deps, { email: 'ada@example.com', orgSlug: 'acme' });
    scope = { organizationId: admitted.organization.id, orgSlug: 'acme' };
    const adding = { ...deps, ...git, allowLocal: false };
    const source = `${host.origin}/context.git`;
    ({ id } = await addRepository(adding, scope, { kind: 'host' }, { source }));
  });
  afterEach(() => host.close());

  const row = (): Promise<Repository> => requireRepository(deps.database.queries, scope, id);
  const run = async (): Promise<Repository> => {
    const payload = { organizationId: scope.organizationId, repositoryId: id };
    const { indexedCommit } = await row();
    await (indexedCommit === undefined ? cloneRepository : fetchRepository)(deps, payload, jobContext());
    if ((await row()).state === 'indexing') await indexRepository(deps, payload, jobContext());
    await deps.database.queries.deleteFrom('jobs').execute();
    return row();
  };
  const tasks = async (): Promise<readonly string[]> => {
    const rows = await deps.database.queries.selectFrom('jobs').select('task').execute();
    return rows.map(({ task }) => task);
  };
  /** One round of checks after the time of the next one has come. */
  const follow = async (): Promise<Repository> => {
    const { nextCheckAt } = await row();
    now = Math.max(now, nextCheckAt ?? 0);
    host.requests.length = 0;
    await followingJobs(deps).reconciler?.reconcile(new AbortController().signal);
    return row();
  };
  const indexed = async (): Promise<Repository> => {
    await run();
    return follow();
  };

  it('plans the first check of an indexed repository within the interval, without asking the host', async () => {
    const planned = await indexed();
    expect(host.requests).toEqual([]);
    expect(planned.checkedAt).toBeUndefined();
    const delay = (planned.nextCheckAt ?? 0) - now;
    expect([delay >= 0.8 * syncIntervalMs, delay <= syncIntervalMs]).toEqual([true, true]);
  });

  it('costs one `git ls-remote` and no change of state while the source is unchanged', async () => {
    const before = await indexed();
    const after = await follow();
    expect(host.requests).toEqual([
      'GET /context.git/info/refs?service=git-upload-pack',
      'POST /context.git/git-upload-pack',
    ]);
    expect(after.checkedAt).toBe(now);
    expect(after.nextCheckAt).toBeGreaterThan(now);
    const { checkedAt, nextCheckAt, ...rest } = after;
    expect({ ...before, ...rest }).toEqual({ ...before });
    expect(await tasks()).toEqual([]);
    host.requests.length = 0;
    await followingJobs(deps).reconciler?.reconcile(new AbortController().signal);
    expect([host.requests, checkedAt, nextCheckAt !== undefined]).toEqual([[], now, true]);
  });

  it('fetches new commits', async () => {
    await indexed();
    const commit = remote.commitByHand({ 'a.txt': 'b' });
    expect(await follow()).toMatchObject({ state: 'queued' });
    expect(await tasks()).toEqual(['repository-fetch']);
    expect(await run()).toMatchObject({ state: 'indexed', indexedCommit: commit });
  });

  once(
    'says why a source cannot be read, keeps the repository searchable and asks less and less often',
    async () => {
      const { stateChangedAt } = await indexed();
      host.behaviour = { kind: 'fail', status: 500 };
      const delays: number[] = [];
      for (let check = 0; check < 9; check += 1) {
        const { state, stateChangedAt: changedAt, error, nextCheckAt = 0 } = await follow();
        expect([state, changedAt, error?.code]).toEqual(['indexed', stateChangedAt, 'git_unreachable']);
        delays.push((nextCheckAt - now) / syncIntervalMs);
      }
      expect(delays[0]).toBeGreaterThanOrEqual(1.6);
      expect(delays[1]).toBeGreaterThanOrEqual(3.2);
      expect(Math.max(...delays)).toBeLessThanOrEqual(96);
      host.behaviour = { kind: 'well' };
      const fixed = await follow();
      expect(fixed.error).toBeUndefined();
      expect((fixed.nextCheckAt ?? 0) - now).toBeLessThanOrEqual(syncIntervalMs);
    },
  );

  once('tries a failed repository again once its source can be read', async () => {
    const hidden = host.behaviour;
    host.behaviour = { kind: 'fail', status: 404 };
    expect(await run()).toMatchObject({ state: 'failed' });
    const planned = await follow();
    expect([planned.state, planned.nextCheckAt !== undefined]).toEqual(['failed', true]);
    expect(await follow()).toMatchObject({ state: 'failed', error: { code: planned.error?.code } });
    host.behaviour = hidden;
    expect(await follow()).toMatchObject({ state: 'queued' });
    expect(await run()).toMatchObject({ state: 'indexed', error: undefined });
  });

  once(
    'keeps the index of a repository that was emptied, says so, and follows its next commits',
    async () => {
      const { indexedCommit } = await indexed();
      remote.git('update-ref', '-d', 'refs/heads/main');
      expect(await follow()).toMatchObject({ state: 'indexed', indexedCommit, error: { code: 'git_empty' } });
      expect(await tasks()).toEqual([]);
      const commit = remote.commitByHand({ 'a.txt': 'again' });
      expect(await follow()).toMatchObject({ state: 'queued' });
      expect(await run()).toMatchObject({ state: 'indexed', indexedCommit: commit, error: undefined });
    },
  );

  once('follows a default branch that was renamed, and one that was pushed by force', async () => {
    await indexed();
    remote.git('branch', '-m', 'main', 'trunk');
    expect(await follow()).toMatchObject({ state: 'queued' });
    expect((await run()).indexedBranches.map(({ name }) => name)).toEqual(['trunk']);
    await follow();
    const first = remote.git('rev-parse', 'trunk').trim();
    remote.git('update-ref', '-d', 'refs/heads/trunk');
    const forced = remote.commitByHand({ 'a.txt': 'rewritten' }, 'trunk');
    expect(forced).not.toBe(first);
    expect(await follow()).toMatchObject({ state: 'queued' });
    expect(await run()).toMatchObject({ state: 'indexed', indexedCommit: forced });
  });

  once('repeats work that has crashed its worker only when the source has changed', async () => {
    await indexed();
    const error = JSON.stringify({ code: 'worker_lost', message: 'crashed' });
    await deps.database.queries.updateTable('repositories').set({ state: 'failed', error }).execute();
    expect(await follow()).toMatchObject({ state: 'failed', error: { code: 'worker_lost' } });
    expect(await tasks()).toEqual([]);
    remote.commitByHand({ 'a.txt': 'changed' });
    expect(await follow()).toMatchObject({ state: 'queued' });
    expect(await tasks()).toEqual(['repository-fetch']);
  });

  it('checks each repository in one worker only', async () => {
    await indexed();
    now += syncIntervalMs;
    const jobs = followingJobs(deps);
    const { signal } = new AbortController();
    await Promise.all([jobs.reconciler?.reconcile(signal), jobs.reconciler?.reconcile(signal)]);
    expect(host.requests.filter((request) => request.startsWith('GET '))).toHaveLength(1);
  });

  once('reads the source when the mirror is missing, and fetches then', async () => {
    await indexed();
    remote.commitByHand({ 'a.txt': 'c' });
    rmSync(dataFolder(deps.git.dataDir).repositories, { recursive: true });
    expect(await follow()).toMatchObject({ state: 'queued' });
  });
});

describe('the delay until the next check', () => {
  it.each([
    [0, 0.8, 1],
    [1, 1.6, 2],
    [3, 6.4, 8],
    [60, 76.8, 96],
  ])('after %i failed checks is %d to %d intervals', (failures, least, most) => {
    expect(checkDelay(syncIntervalMs, failures, 0) / syncIntervalMs).toBeCloseTo(least);
    expect(checkDelay(syncIntervalMs, failures, 1) / syncIntervalMs).toBeCloseTo(most);
  });

  it('is at least the interval, even if that is longer than a day', () => {
    expect(checkDelay(48 * 60 * minute, 5, 1)).toBe(48 * 60 * minute);
  });
});

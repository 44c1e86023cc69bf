import { expect, it } from 'vitest';
import { startGitHttpServer } from '../../../../test/standins/git-http-server.ts';
import { startGithost } from '../../../../test/standins/githost/githost.ts';
import { manifestsOnly } from '../../../../test/support/codesearch/manifests-only.ts';
import { seedOrganization, seedRepository } from '../../../../test/support/codesearch/seeded-repositories.ts';
import { describeEachDatabase } from '../../../../test/support/database/databases.ts';
import { testGithosts } from '../../../../test/support/git/test-githosts.ts';
import { openTestKeyring } from '../../../../test/support/http/http-server.ts';
import { createRemote } from '../../../../test/support/mirror/mirror-remote.ts';
import { silentLog } from '../../../../test/support/silent-log.ts';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import type { Database } from '../../../foundation/db/database.ts';
import { systemClock } from '../../../foundation/kernel/clock.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import { addGithost } from '../../githosts/add-githost.ts';
import { openSourceGate } from '../../githosts/source-access.ts';
import { requireRepository } from '../repository-store.ts';
import type { FollowDeps } from './check-source.ts';
import { listDueRepositories } from './due-repositories.ts';
import { followingJobs } from './jobs.ts';

describeEachDatabase('a round of checks', (open) => {
  const seed = async (database: Database, scope: OrgScope, count: number, nextCheckAt: number | null) => {
    const ids = [];
    for (let index = 0; index < count; index += 1) {
      const id = await seedRepository(database, scope, { name: `${scope.orgSlug}-${nextCheckAt}-${index}` });
      await database.queries
        .updateTable('repositories')
        .set({ next_check_at: nextCheckAt })
        .where('id', '=', id)
        .execute();
      ids.push(id);
    }
    return ids;
  };

  it('takes the organizations in turn, and the new repositories of each first', async () => {
    const database = await open();
    const [large, small] = [
      await seedOrganization(database, 'large'),
      await seedOrganization(database, 'small'),
    ];
    await seed(database, large, 12, 1);
    const [waiting] = await seed(database, small, 1, 5);
    const [fresh] = await seed(database, large, 1, null);
    const [later] = await seed(database, small, 1, 9);
    await seed(database, small, 1, 50);
    const due = await listDueRepositories(database.queries, 10, 6);
    const ids = due.map(({ repository }) => repository.id);
    expect(new Set(ids.slice(0, 2))).toEqual(new Set([waiting, fresh]));
    expect(ids.slice(2, 4)).toContain(later);
    expect(due).toHaveLength(6);
  });

  async function openFollowing() {
    const database = await open();
    const git = { dataDir: temporaryFolder(), allowHosts: ['127.0.0.1'] };
    const deps: FollowDeps = {
      database,
      git,
      clock: systemClock,
      codeIndex: manifestsOnly(),
      syncIntervalMs: 60_000,
      log: silentLog,
    };
    return { database, git, deps };
  }

  it('goes on with other organizations while the host of one does not respond', async () => {
    const { database, deps } = await openFollowing();
    const root = temporaryFolder();
    createRemote(root).commitByHand({ 'a.txt': 'a' });
    const [silent, well] = [await startGitHttpServer({ root }), await startGitHttpServer({ root })];
    silent.behaviour = { kind: 'silent' };
    const stop = new AbortController();
    try {
      for (const [slug, host] of [
        ['acme', silent],
        ['globex', well],
      ] as const) {
        const scope = await seedOrganization(database, slug);
        await seed(database, scope, 8, 1);
        const source = `${host.origin}/context.git`;
        await database.queries
          .updateTable('repositories')
          .set((e) => ({ source, branch: e.ref('id'), source_kind: 'https' }))
          .where('organization_id', '=', scope.organizationId)
          .execute();
      }
      const round = followingJobs(deps).reconciler?.reconcile(stop.signal);
      const checked = async (): Promise<number> =>
        (await database.queries.selectFrom('repositories').select('id').where('checked_at', '>', 0).execute())
          .length;
      await expect.poll(checked).toBe(8);
      stop.abort();
      await round;
    } finally {
      await Promise.all([silent.close(), well.close()]);
    }
  });

  it('finds a repository that was renamed at its Git host, without a webhook or a redirect', async () => {
    const { database, git, deps } = await openFollowing();
    const host = await startGithost({ flavour: 'gitea' });
    try {
      host.addUser('bot', 'token');
      const hosted = host.addRepository('bot/app', { files: { 'a.txt': 'a' } });
      hosted.access.set('bot', 'read');
      const githosts = testGithosts(database, await openTestKeyring(database), {
        allowHosts: git.allowHosts,
      });
      const acme = await seedOrganization(database, 'acme');
      const fields = { url: host.origin, token: 'token' };
      const { signal } = new AbortController();
      const connection = await addGithost(
        githosts,
        acme,
        { kind: 'host' },
        { kind: 'gitea', fields },
        signal,
      );
      const [id] = await seed(database, acme, 1, 1);
      await database.queries
        .updateTable('repositories')
        .set({
          source: `${host.origin}/bot/app.git`,
          source_kind: 'https',
          githost_connection_id: connection.id,
          host_repository_id: String(hosted.id),
        })
        .execute();
      host.renameRepository(hosted, 'bot/renamed');
      host.model.formerNames.clear();
      const round = () =>
        followingJobs({ ...deps, sources: openSourceGate(githosts, git) }).reconciler?.reconcile(signal);
      await round();
      const read = () => requireRepository(database.queries, acme, id!);
      expect(await read()).toMatchObject({ source: `${host.origin}/bot/renamed.git`, state: 'queued' });

      host.deleteRepository(hosted);
      await database.queries
        .updateTable('repositories')
        .set({ state: 'indexed', next_check_at: 1 })
        .execute();
      await round();
      expect((await read()).error?.message).toContain('gitea can no longer read this repository');
    } finally {
      await host.close();
    }
  });
});

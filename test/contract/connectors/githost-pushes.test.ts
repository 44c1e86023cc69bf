import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { addGithost } from '../../../src/features/githosts/add-githost.ts';
import type { GithostConnection } from '../../../src/features/githosts/githost-connection.ts';
import type { GithostsDeps } from '../../../src/features/githosts/githosts-deps.ts';
import { githostJobs } from '../../../src/features/githosts/jobs.ts';
import { removeGithost } from '../../../src/features/githosts/remove-githost.ts';
import { openSourceGate } from '../../../src/features/githosts/source-access.ts';
import { hostedIdKey } from '../../../src/features/mirror/repository-key.ts';
import { followingJobs } from '../../../src/features/repositories/following/jobs.ts';
import { eraseRepository } from '../../../src/features/repositories/indexing/erase-repository.ts';
import { removeRepository } from '../../../src/features/repositories/setup/remove-repository.ts';
import {
  type RepositoryChanges,
  setRepository,
} from '../../../src/features/repositories/setup/set-repository.ts';
import { systemClock } from '../../../src/foundation/kernel/clock.ts';
import {
  type MirrorTargetId,
  newId,
  type OrganizationId,
  type RepositoryId,
} from '../../../src/foundation/kernel/ids.ts';
import { type Githost, type HostedRepository, startGithost } from '../../standins/githost/githost.ts';
import { openTestIndex } from '../../support/codesearch/open-test-index.ts';
import { seedRepository } from '../../support/codesearch/seeded-repositories.ts';
import { openTestDatabase, type TestDatabase } from '../../support/database/databases.ts';
import { testGithosts } from '../../support/git/test-githosts.ts';
import { openTestHttp, openTestKeyring, type TestHttp } from '../../support/http/http-server.ts';
import { jobContext } from '../../support/jobs/job-context.ts';
import { silentLog } from '../../support/silent-log.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const { signal } = new AbortController();

describe('webhooks of Git hosts', () => {
  let database: TestDatabase;
  let host: Githost;
  let http: TestHttp;
  let deps: GithostsDeps;
  let organizationId: OrganizationId;
  let connection: GithostConnection;
  let hosted: HostedRepository;
  let origin: string;
  let id: RepositoryId;

  beforeEach(async () => {
    database = await openTestDatabase('sqlite');
    host = await startGithost({ flavour: 'gitea' });
    host.addUser('bot', 'token');
    const allowHosts = [new URL(host.origin).host];
    deps = testGithosts(database, await openTestKeyring(database), { allowHosts });
    http = await openTestHttp(database, { githosts: deps });
    origin = await http.server.listen({ host: '127.0.0.1', port: 0 });
    deps = { ...deps, baseUrl: origin };
    const organization = await database.queries
      .selectFrom('organizations')
      .select('id')
      .where('slug', '=', 'acme')
      .executeTakeFirstOrThrow();
    organizationId = organization.id as OrganizationId;
    const scope = { organizationId, orgSlug: 'acme' };
    const request = { kind: 'gitea', fields: { url: host.origin, token: 'token' } };
    connection = await addGithost(deps, scope, { kind: 'host' }, request, signal);
    hosted = host.addRepository('bot/app');
    hosted.access.set('bot', 'admin');
    host.commit(hosted, { 'a.txt': 'a' });
    id = await seedRepository(database, scope, {
      name: 'app',
      source: `${host.origin}/bot/app.git`,
      indexedCommit: 'c'.repeat(40),
      indexedBranches: ['main'],
    });
    await database.queries
      .updateTable('repositories')
      .set({ githost_connection_id: connection.id, host_repository_id: String(hosted.id) })
      .where('id', '=', id)
      .execute();
    const gate = openSourceGate(deps, { dataDir: temporaryFolder(), allowHosts });
    const followed = {
      organizationId,
      githostConnectionId: connection.id,
      hostRepositoryId: String(hosted.id),
      source: `${host.origin}/bot/app.git`,
      sourceKind: 'https',
    } as const;
    await gate.watch(followed, signal);
    await gate.watch(followed, signal);
  });
  afterEach(async () => {
    await http.server.close();
    await host.close();
    await database.close();
  });

  const states = async (): Promise<readonly string[]> => {
    const rows = await database.queries.selectFrom('repositories').select('state').execute();
    return rows.map(({ state }) => state);
  };
  const tasks = async (): Promise<readonly string[]> => {
    const rows = await database.queries.selectFrom('jobs').select('task').execute();
    return rows.map(({ task }) => task);
  };
  /** Runs the jobs of a task of Git hosts as the worker does: one that fails stays. */
  const runGithostJobs = async (name: string, own: GithostsDeps = deps): Promise<void> => {
    const rest = { log: silentLog, syncIntervalMs: 900_000, dataDir: temporaryFolder() };
    const bound = githostJobs({ ...own, ...rest }).handlers.find(({ task }) => task.name === name);
    const waiting = database.queries.selectFrom('jobs').selectAll().where('task', '=', name);
    for (const { id: job, payload } of await waiting.execute()) {
      await bound?.run([{ id: job, payload: JSON.parse(payload) }], jobContext());
      await database.queries.deleteFrom('jobs').where('id', '=', job).execute();
    }
  };
  const unhook = () => runGithostJobs('githost-unhook');
  const deliveries = () =>
    database.queries.selectFrom('deliveries').selectAll().where('source', '=', 'githost').execute();
  const send = (path: string, payload: string, headers: Record<string, string> = {}) =>
    http.server.inject({ method: 'POST', url: `/api/v1/webhook/githost/${path}`, payload, headers });

  it('start the fetch of the pushed repository, once per delivery, by a hook that is added once', async () => {
    expect(hosted.hooks.map(({ url }) => url)).toEqual([`${origin}/api/v1/webhook/githost/${connection.id}`]);
    host.commit(hosted, { 'a.txt': 'b' });
    await expect.poll(tasks).toEqual(['repository-fetch']);
    expect(await states()).toEqual(['queued']);
    const [delivery] = await deliveries();
    expect(delivery).toMatchObject({ outcome: 'accepted', event: 'push', connection_id: connection.id });
    await host.hooks.settled();
    await database.queries.deleteFrom('jobs').execute();
    const [sent] = host.hooks.deliveries;
    const again = await send(connection.id, sent?.body.toString() ?? '', { ...sent?.headers });
    expect([again.statusCode, again.json()]).toEqual([200, { status: 'duplicate' }]);
    expect(await tasks()).toEqual([]);
    const altered = await send(connection.id, `${sent?.body.toString()} `, { ...sent?.headers });
    expect(altered.statusCode).toBe(401);
  });

  it('end when the last repository that needs them is removed, and the host is asked again if it fails', async () => {
    const { queries } = database;
    const { number: _number, ...copy } = await queries
      .selectFrom('repositories')
      .selectAll()
      .executeTakeFirstOrThrow();
    const other = { ...copy, id: newId<RepositoryId>(), name: 'other', branch: 'feature' };
    await queries.insertInto('repositories').values(other).execute();
    const dataDir = temporaryFolder();
    const work = {
      database,
      clock: systemClock,
      git: { dataDir, allowHosts: [] },
      codeIndex: openTestIndex({ root: dataDir, log: silentLog }),
    };
    const scope = { organizationId, orgSlug: 'acme' };
    const remove = async (repositoryId: RepositoryId): Promise<void> => {
      await removeRepository(work, scope, { kind: 'host' }, repositoryId);
      await eraseRepository(work, { organizationId, repositoryId });
    };
    await remove(id);
    await unhook();
    expect(hosted.hooks).toHaveLength(1);
    await expect(removeGithost(deps, scope, { kind: 'host' }, connection.id)).rejects.toThrow('by other');
    await remove(other.id);
    expect(await states()).toEqual([]);
    host.failures.push({ calls: /hooks/, reply: { status: 503 } });
    await expect(unhook()).rejects.toThrow('not available');
    const refused = removeGithost(deps, scope, { kind: 'host' }, connection.id);
    await expect(refused).rejects.toThrow('are being removed');
    host.failures.length = 0;
    await unhook();
    expect(hosted.hooks).toEqual([]);
    await removeGithost(deps, scope, { kind: 'host' }, connection.id);
  });

  it('move with a repository that is read at another Git host, and stay if only its name changes', async () => {
    await using moved = await startGithost({ flavour: 'gitea' });
    moved.addUser('bot', 'token');
    const there = moved.addRepository('bot/app', { files: { 'a.txt': 'a' } });
    there.access.set('bot', 'admin');
    const allowHosts = [host, moved].map((each) => new URL(each.origin).host);
    deps = { ...testGithosts(database, deps.keyring, { allowHosts }), baseUrl: origin };
    const scope = { organizationId, orgSlug: 'acme' };
    const request = { kind: 'gitea', name: 'moved', fields: { url: moved.origin, token: 'token' } };
    const next = await addGithost(deps, scope, { kind: 'host' }, request, signal);
    const dataDir = temporaryFolder();
    const shared = { database, clock: systemClock, allowHosts, dataDir };
    const set = async (changes: RepositoryChanges): Promise<void> => {
      const setting = { ...shared, allowLocal: false, githosts: deps };
      await setRepository(setting, scope, { kind: 'host' }, id, changes);
      // The sync that follows is not part of this test.
      await database.queries.deleteFrom('jobs').where('task', '!=', 'githost-unhook').execute();
      await database.queries.updateTable('repositories').set({ state: 'indexed' }).execute();
      const work = {
        ...shared,
        git: { dataDir, allowHosts },
        codeIndex: openTestIndex({ root: dataDir, log: silentLog }),
        sources: openSourceGate(deps, { dataDir, allowHosts }),
      };
      await followingJobs({ ...work, syncIntervalMs: 900_000, log: silentLog }).reconciler?.reconcile(signal);
    };
    await set({ name: 'renamed' });
    await unhook();
    expect([hosted.hooks.length, there.hooks.length]).toEqual([1, 0]);

    await set({ source: 'bot/app', githostConnectionId: next.id });
    expect([hosted.hooks.length, there.hooks.length]).toEqual([1, 1]);
    const refused = removeGithost(deps, scope, { kind: 'host' }, connection.id);
    await expect(refused).rejects.toThrow('are being removed');
    await unhook();
    expect([hosted.hooks.length, there.hooks.length]).toEqual([0, 1]);
    await removeGithost(deps, scope, { kind: 'host' }, connection.id);

    await set({ source: `${moved.origin}/bot/app.git`, githostConnectionId: null });
    await unhook();
    expect(there.hooks).toEqual([]);
  });

  it('are added again when a check finds a push that the host did not report', async () => {
    hosted.hooks.length = 0;
    host.commit(hosted, { 'a.txt': 'while no webhook was sent' });
    await database.queries.updateTable('repositories').set({ next_check_at: 0 }).execute();
    const git = { dataDir: temporaryFolder(), allowHosts: [new URL(host.origin).host] };
    const work = {
      database,
      git,
      clock: systemClock,
      codeIndex: openTestIndex({ root: git.dataDir, log: silentLog }),
      sources: openSourceGate(deps, git),
    };
    await followingJobs({ ...work, syncIntervalMs: 900_000, log: silentLog }).reconciler?.reconcile(signal);
    expect([await states(), await tasks()]).toEqual([['queued'], ['repository-fetch']]);
    expect(hosted.hooks).toHaveLength(1);
  });

  it('ignore pushes to branches that the repository does not follow', async () => {
    host.commit(hosted, { 'b.txt': 'b' }, 'feature');
    await expect.poll(async () => (await deliveries()).length).toBe(1);
    expect([await states(), await tasks()]).toEqual([['indexed'], []]);
  });

  it('start no second fetch of what the service itself pushed', async () => {
    host.commit(hosted, { 'a.txt': 'b' });
    await expect.poll(tasks).toEqual(['repository-fetch']);
    await host.hooks.settled();
    const [sent] = host.hooks.deliveries;
    const body = sent?.body.toString() ?? '';
    const { after } = JSON.parse(body) as { after: string };
    const source = `${host.origin}/bot/app.git`;
    const pushed = {
      id: newId<MirrorTargetId>(),
      organization_id: organizationId,
      repository: hostedIdKey(connection.apiUrl, String(hosted.id)),
      branch: 'main',
      githost_connection_id: connection.id,
      host_repository_id: String(hosted.id),
      source,
      head: after,
      committed_at: null,
      pushing: null,
      error: null,
      created_at: 0,
    };
    await database.queries.insertInto('mirror_targets').values(pushed).execute();
    const answers = [];
    for (const changed of [{}, { source: 'https://elsewhere.example/app.git' }, { source, head: null }]) {
      await database.queries
        .updateTable('mirror_targets')
        .set({ source, ...changed })
        .execute();
      await database.queries.deleteFrom('jobs').execute();
      const headers = { ...sent?.headers, 'x-gitea-delivery': newId() };
      const answer = await send(connection.id, body, headers);
      answers.push([answer.json(), await tasks()]);
    }
    const fetched = [{ status: 'accepted' }, ['repository-fetch']];
    expect(answers).toEqual([[{ status: 'ignored' }, []], fetched, fetched]);
  });

  it('are refused without the signature of their connection, and for unknown connections', async () => {
    const push = JSON.stringify({ ref: 'refs/heads/main', repository: { id: hosted.id } });
    const forged = { 'x-hub-signature-256': `sha256=${'0'.repeat(64)}`, 'x-gitea-event': 'push' };
    for (const path of [connection.id, '01980f3e-5f2c-7c3a-9d53-0c2b7b6a9f10', 'nonsense']) {
      for (const headers of [{}, forged]) {
        const answer = await send(path, push, headers);
        expect([answer.statusCode, answer.json<{ code: string }>().code], path).toEqual([
          401,
          'signature_invalid',
        ]);
      }
    }
    const unconfigured = await send('app', push, forged);
    expect([unconfigured.statusCode, unconfigured.json<{ code: string }>().code]).toEqual([
      503,
      'webhook_secret_missing',
    ]);
    expect([await states(), await tasks()]).toEqual([['indexed'], []]);
  });

  it('of the App of the deployment are routed by their installation, whose suspension shows at once', async () => {
    const secret = 's'.repeat(32);
    await using github = await startGithost({ flavour: 'github' });
    const webhook = { url: `${origin}/api/v1/webhook/githost/app`, secret };
    const { app, privateKey } = github.addApp({ webhook });
    const installation = github.install(app, 'octo-org');
    const { origin: url, apiUrl } = github;
    const settings = { url, apiUrl, appId: String(app.id), privateKey, webhookSecret: secret };
    Object.assign(deps.deployment, { kind: 'github', settings });
    const pushed = github.addRepository('octo-org/app');
    const reasons = async () => (await deliveries()).map(({ reason }) => reason);
    // A connection of another host, which gave its installation the same id.
    const installed = { kind: 'github', installation_id: String(installation.id) };
    await database.queries.updateTable('githost_connections').set(installed).execute();
    await database.queries
      .updateTable('repositories')
      .set({ host_repository_id: String(pushed.id) })
      .execute();
    github.commit(pushed, { 'a.txt': 'a' });
    await expect.poll(reasons).toEqual(['no_connection']);
    expect(await tasks()).toEqual([]);
    await database.queries
      .updateTable('githost_connections')
      .set({ api_url: apiUrl, url, fields: '{}' })
      .execute();
    github.commit(pushed, { 'a.txt': 'b' });
    await expect.poll(tasks).toEqual(['repository-fetch']);

    await database.queries.deleteFrom('jobs').execute();
    github.changeInstallation(github.install(app, 'other-org'), 'suspend');
    await expect.poll(async () => (await reasons()).length).toBe(3);
    expect(await tasks()).toEqual([]);
    github.changeInstallation(installation, 'suspend');
    await expect.poll(tasks).toEqual(['githost-check']);
    const asked = testGithosts(database, deps.keyring, {
      operatorOrigins: [github.origin],
      deployment: { kind: 'github', settings },
    });
    await runGithostJobs('githost-check', asked);
    const { state, error } = await database.queries
      .selectFrom('githost_connections')
      .select(['state', 'error'])
      .executeTakeFirstOrThrow();
    expect([state, error]).toEqual(['failed', expect.stringContaining('has suspended this installation')]);
  });
});

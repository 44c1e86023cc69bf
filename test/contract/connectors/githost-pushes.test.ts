import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openCodeIndex } from '../../../src/backends/codesearch/embedded/open-embedded-code-search.ts';
import { addGithost } from '../../../src/features/githosts/add-githost.ts';
import type { GithostConnection } from '../../../src/features/githosts/githost-connection.ts';
import type { GithostsDeps } from '../../../src/features/githosts/githosts-deps.ts';
import { removeGithost } from '../../../src/features/githosts/remove-githost.ts';
import { openSourceGate } from '../../../src/features/githosts/source-access.ts';
import { eraseRepository } from '../../../src/features/repositories/indexing/erase-repository.ts';
import { removeRepository } from '../../../src/features/repositories/remove-repository.ts';
import { systemClock } from '../../../src/foundation/kernel/clock.ts';
import { newId, type OrganizationId, type RepositoryId } from '../../../src/foundation/kernel/ids.ts';
import { type Githost, type HostedRepository, startGithost } from '../../standins/githost/githost.ts';
import { seedRepository } from '../../support/codesearch/seeded-repositories.ts';
import { openTestDatabase, type TestDatabase } from '../../support/database/databases.ts';
import { testGithosts } from '../../support/http/githosts.ts';
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

  beforeEach(async () => {
    database = await openTestDatabase('sqlite');
    host = await startGithost({ flavour: 'gitea' });
    host.addUser('bot', 'token');
    const allowHosts = [new URL(host.origin).host];
    deps = testGithosts(database, await openTestKeyring(database), { allowHosts });
    http = await openTestHttp(database, { githosts: deps });
    origin = await http.server.listen({ host: '127.0.0.1', port: 0 });
    deps = { ...deps, baseUrl: origin };
    const { id } = await database.queries
      .selectFrom('organizations')
      .select('id')
      .where('slug', '=', 'acme')
      .executeTakeFirstOrThrow();
    organizationId = id as OrganizationId;
    const scope = { organizationId, orgSlug: 'acme' };
    const request = { kind: 'gitea', fields: { url: host.origin, token: 'token' } };
    connection = await addGithost(deps, scope, { kind: 'host' }, request, signal);
    hosted = host.addRepository('bot/app');
    hosted.access.set('bot', 'admin');
    host.commit(hosted, { 'a.txt': 'a' });
    const repository = await seedRepository(database, scope, {
      name: 'app',
      source: `${host.origin}/bot/app.git`,
      indexedCommit: 'c'.repeat(40),
      indexedBranches: ['main'],
    });
    await database.queries
      .updateTable('repositories')
      .set({ githost_connection_id: connection.id, host_repository_id: String(hosted.id) })
      .where('id', '=', repository)
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
    const [row] = await queries.selectFrom('repositories').selectAll().execute();
    if (row === undefined) throw new Error('expected a repository');
    const { number: _number, ...copy } = row;
    const other = { ...copy, id: newId<RepositoryId>(), name: 'other', branch: 'feature' };
    await queries.insertInto('repositories').values(other).execute();
    const dataDir = temporaryFolder();
    const work = {
      database,
      clock: systemClock,
      git: { dataDir, allowHosts: [] },
      codeIndex: openCodeIndex({ root: dataDir, log: silentLog }),
      sources: openSourceGate(deps, { dataDir, allowHosts: [] }),
    };
    const scope = { organizationId, orgSlug: 'acme' };
    const remove = async (id: string): Promise<void> => {
      await removeRepository(work, scope, { kind: 'host' }, id as RepositoryId);
      await eraseRepository(work, { organizationId, repositoryId: id as RepositoryId }, jobContext());
    };
    await remove(row.id);
    expect(hosted.hooks).toHaveLength(1);
    host.failures.push({ calls: /hooks/, reply: { status: 503 } });
    await expect(remove(other.id)).rejects.toThrow();
    await expect(removeGithost(deps, scope, { kind: 'host' }, connection.id)).rejects.toThrow('other');
    host.failures.length = 0;
    await remove(other.id);
    expect(hosted.hooks).toEqual([]);
    expect(await states()).toEqual([]);
    await removeGithost(deps, scope, { kind: 'host' }, connection.id);
  });

  it('ignore pushes to branches that the repository does not follow', async () => {
    host.commit(hosted, { 'b.txt': 'b' }, 'feature');
    await expect.poll(async () => (await deliveries()).length).toBe(1);
    expect([await states(), await tasks()]).toEqual([['indexed'], []]);
  });

  it('are refused without the signature of their connection, and for unknown connections', async () => {
    const push = JSON.stringify({ ref: 'refs/heads/main', repository: { id: hosted.id } });
    const forged = { 'x-hub-signature-256': `sha256=${'0'.repeat(64)}`, 'x-gitea-event': 'push' };
    for (const id of [connection.id, '01980f3e-5f2c-7c3a-9d53-0c2b7b6a9f10', 'nonsense']) {
      for (const headers of [{}, forged]) {
        const answer = await send(id, push, headers);
        expect([answer.statusCode, answer.json<{ code: string }>().code], id).toEqual([
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

  it('of the App of the deployment are routed by their installation', async () => {
    const secret = 's'.repeat(32);
    await using github = await startGithost({ flavour: 'github' });
    const webhook = { url: `${origin}/api/v1/webhook/githost/app`, secret };
    const { app } = github.addApp({ webhook });
    const installation = github.install(app, 'octo-org');
    Object.assign(deps.deployment, { kind: 'github', settings: { webhookSecret: secret } });
    const pushed = github.addRepository('octo-org/app');
    github.commit(pushed, { 'a.txt': 'a' });
    await expect
      .poll(async () => (await deliveries()).map(({ reason }) => reason))
      .toEqual(['no_connection']);
    await database.queries
      .updateTable('githost_connections')
      .set({ kind: 'github', installation_id: String(installation.id) })
      .execute();
    await database.queries
      .updateTable('repositories')
      .set({ host_repository_id: String(pushed.id) })
      .execute();
    github.commit(pushed, { 'a.txt': 'b' });
    await expect.poll(tasks).toEqual(['repository-fetch']);
  });
});

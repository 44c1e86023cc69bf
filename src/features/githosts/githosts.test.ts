import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Githost, startGithost } from '../../../test/standins/githost/githost.ts';
import { seedOrganization, seedRepository } from '../../../test/support/codesearch/seeded-repositories.ts';
import {
  describeEachDatabase,
  openTestDatabase,
  type TestDatabase,
} from '../../../test/support/database/databases.ts';
import { testGithosts } from '../../../test/support/git/test-githosts.ts';
import { openTestKeyring } from '../../../test/support/http/http-server.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import type { OrgScope } from '../../foundation/kernel/org-scope.ts';
import type { Keyring } from '../../foundation/secrets/keyring.ts';
import type { AuditActor } from '../identity/audit/audit.ts';
import { listAudit } from '../identity/audit/audit-store.ts';
import { addGithost, type GithostRequest } from './add-githost.ts';
import { checkGithost } from './check-githost.ts';
import { credentialsFor } from './credentials.ts';
import { type GithostConnection, githostLimits } from './githost-connection.ts';
import { findGithost, listGithosts, requireGithost } from './githost-store.ts';
import type { GithostsDeps } from './githosts-deps.ts';
import { findHostedSource, listHostRepositories } from './host-repositories.ts';
import { finishInstallation, installUrlOf } from './install-githost.ts';
import { openHost } from './open-host.ts';
import { removeGithost } from './remove-githost.ts';
import { openSourceGate } from './source-access.ts';
import { ensureSshKey, removeSshKey, requireSshKey } from './ssh-key.ts';

const actor: AuditActor = { kind: 'host' };
const { signal } = new AbortController();

describeEachDatabase('connections to Git hosts', (open) => {
  let database: TestDatabase;
  let deps: GithostsDeps;
  let acme: OrgScope;
  let globex: OrgScope;

  beforeAll(async () => {
    database = await open();
    deps = testGithosts(database, await openTestKeyring(database));
    [acme, globex] = [await seedOrganization(database, 'acme'), await seedOrganization(database, 'globex')];
  });
  beforeEach(async () => {
    await database.queries.deleteFrom('githost_connections').execute();
    await database.queries.deleteFrom('connection_secrets').execute();
  });

  const fields = { url: 'https://git.example.com/base/', user: 'bot', token: 'hushed-token' };
  const add = (scope = acme, request: Partial<GithostRequest> = {}): Promise<GithostConnection> =>
    addGithost(deps, scope, actor, { kind: 'https', fields, ...request }, signal);
  const secrets = () => database.queries.selectFrom('connection_secrets').selectAll().execute();

  it('stores secrets sealed and shows them to nobody, also not to another organization', async () => {
    const connection = await add();
    expect(connection).toMatchObject({
      kind: 'https',
      name: 'https',
      state: 'connected',
      url: 'https://git.example.com/base',
      fields: { url: fields.url, user: 'bot' },
    });
    expect(await requireGithost(database.queries, acme, connection.id)).toEqual(connection);
    expect((await listGithosts(database.queries, globex)).items).toEqual([]);
    expect(await findGithost(database.queries, globex, connection.id)).toBeUndefined();
    const stored = await database.queries.selectFrom('githost_connections').selectAll().execute();
    expect(JSON.stringify([stored, await secrets()])).not.toContain('hushed');
    expect((await secrets()).map(({ field }) => field)).toEqual(['token']);
  });

  it('refuses the address of the service itself', async () => {
    const own = { ...fields, url: deps.baseUrl };
    await expect(add(acme, { fields: own })).rejects.toThrow('is the address of this service');
    expect(await secrets()).toEqual([]);
  });

  it('refuses another name of the same spelling, an unknown kind and an address that is not public', async () => {
    await add();
    await expect(add()).rejects.toThrow('A Git-host connection named https exists already.');
    await add(globex);
    await expect(add(acme, { kind: 'svn' })).rejects.toThrow(/`kind` must be one of .*https/);
    for (const url of ['http://git.example.com', 'https://127.0.0.1', 'https://[::1]:3000']) {
      const request = { name: url, fields: { ...fields, url } };
      await expect(add(acme, request), url).rejects.toMatchObject({
        status: 400,
        errors: [{ path: '/url' }],
      });
    }
    const allowed = { ...deps, allowHosts: ['127.0.0.1'] };
    const request = { kind: 'https', name: 'local', fields: { ...fields, url: 'http://127.0.0.1' } };
    expect(await addGithost(allowed, acme, actor, request, signal)).toMatchObject({ name: 'local' });
  });

  it('deletes a connection with its secrets, but not one of another organization or one in use', async () => {
    const { id } = await add();
    await expect(removeGithost(deps, globex, actor, id)).rejects.toMatchObject({ status: 404 });
    const repository = await seedRepository(database, acme, { name: 'app' });
    await database.queries.updateTable('repositories').set({ githost_connection_id: id }).execute();
    await expect(removeGithost(deps, acme, actor, id)).rejects.toThrow('https is used by app.');
    await database.queries.deleteFrom('repositories').where('id', '=', repository).execute();
    await removeGithost(deps, acme, actor, id);
    expect(await secrets()).toEqual([]);
    const actions = await database.queries.selectFrom('audit_events').select('action').execute();
    expect(actions.map(({ action }) => action)).toContain('githost.removed');
  });

  it('gives credentials only to repositories of the same organization at that host', async () => {
    const { id } = await add();
    const request = {
      organizationId: acme.organizationId,
      githostConnectionId: id,
      source: 'https://git.example.com/base/app.git',
      access: 'read',
    } as const;
    expect(await credentialsFor(deps, request, signal)).toEqual({
      username: 'bot',
      password: 'hushed-token',
    });
    const refusedFor = async (other: object): Promise<unknown> => {
      const refusal = await credentialsFor(deps, { ...request, ...other }, signal).catch(
        (error: unknown) => error,
      );
      expect(String(refusal)).not.toContain('hushed');
      return (refusal as { reason?: unknown }).reason;
    };
    expect(await refusedFor({ organizationId: globex.organizationId })).toBe('authentication');
    expect(await refusedFor({ source: 'https://elsewhere.example/base/app.git' })).toBe('authentication');
    expect(await refusedFor({ source: 'http://git.example.com/base/app.git' })).toBe('authentication');
    expect(await refusedFor({ access: 'write' })).toBe('authentication');
    expect(
      await credentialsFor(deps, { ...request, githostConnectionId: undefined }, signal),
    ).toBeUndefined();
  });

  it('resolves only repositories below the address of the host', async () => {
    const { id } = await add();
    const find = async (source: string, scope = acme) =>
      (await findHostedSource(deps, scope, { githostConnectionId: id, source }, signal)).source;
    expect(await find('owner/app')).toBe('https://git.example.com/base/owner/app');
    expect(await find('https://git.example.com/base/owner/app.git')).toBe(
      'https://git.example.com/base/owner/app.git',
    );
    for (const source of [
      'https://git.example.com/other/app',
      'https://git.example.com.evil.example/base/app',
      'https://user:pw@git.example.com/base/app',
      'https://git.example.com/base/../app',
      'owner/../../app',
      'git@git.example.com:base/app',
    ]) {
      await expect(find(source), source).rejects.toMatchObject({ errors: [{ path: '/source' }] });
    }
    await expect(find('owner/app', globex)).rejects.toMatchObject({
      errors: [{ path: '/githostConnectionId' }],
    });
  });

  it('keeps one SSH key per organization, its private half sealed', async () => {
    await expect(requireSshKey(database.queries, acme)).rejects.toMatchObject({ status: 404 });
    const key = await ensureSshKey(deps, acme, actor);
    expect(key.publicKey).toMatch(/^ssh-ed25519 [\w+/=]{68} orgctx-acme$/);
    expect((await ensureSshKey(deps, acme, actor)).publicKey).toBe(key.publicKey);
    expect((await ensureSshKey(deps, globex, actor)).publicKey).not.toBe(key.publicKey);
    expect(JSON.stringify(await secrets())).not.toContain('OPENSSH');
    await removeSshKey(deps, acme, actor);
    expect((await secrets()).map(({ connection_id: id }) => id)).not.toContain(key.id);
  });
});

describe('connections to a Git host with an API', () => {
  let database: TestDatabase;
  let keyring: Keyring;
  let acme: OrgScope;
  let globex: OrgScope;
  const hosts: Githost[] = [];

  beforeAll(async () => {
    database = await openTestDatabase('sqlite');
    keyring = await openTestKeyring(database);
    [acme, globex] = [await seedOrganization(database, 'acme'), await seedOrganization(database, 'globex')];
  });
  afterAll(async () => {
    for (const host of hosts) await host.close();
    await database.close();
  });

  async function openGitea(): Promise<{ host: Githost; deps: GithostsDeps }> {
    const host = await startGithost({ flavour: 'gitea' });
    hosts.push(host);
    return { host, deps: testGithosts(database, keyring, { allowHosts: [new URL(host.origin).host] }) };
  }

  it('refuses a token that the host refuses, and stores nothing of it', async () => {
    const { host, deps } = await openGitea();
    const request = { kind: 'gitea', name: 'wrong', fields: { url: host.origin, token: 'hushed-wrong' } };
    const refusal = await addGithost(deps, acme, actor, request, signal).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ status: 400 });
    expect(String(refusal)).not.toContain('hushed');
    expect((await listGithosts(database.queries, acme)).items).toEqual([]);
    expect(await database.queries.selectFrom('connection_secrets').selectAll().execute()).toEqual([]);
  });

  it('lists repositories, and becomes failed and connected again with the token at the host', async () => {
    const { host, deps } = await openGitea();
    const bot = host.addUser('bot', 'hushed-token');
    host.addRepository('bot/app', { private: true }).access.set('bot', 'write');
    const fields = { url: host.origin, token: 'hushed-token' };
    const { id } = await addGithost(deps, acme, actor, { kind: 'gitea', fields }, signal);
    const page = await listHostRepositories(deps, acme, id, { limit: 10 }, signal);
    expect(page.items.map(({ fullName }) => fullName)).toEqual(['bot/app']);
    const state = async () => {
      const connection = await requireGithost(database.queries, acme, id);
      await checkGithost(deps, connection, signal);
      const { state: now, account, error } = await requireGithost(database.queries, acme, id);
      return [now, account?.name, error?.code];
    };
    expect(await state()).toEqual(['connected', 'bot', undefined]);
    bot.tokens.clear();
    expect(await state()).toEqual(['failed', 'bot', 'githost_failed']);
    const { error } = await requireGithost(database.queries, acme, id);
    expect(error?.message.split('Replace the credentials')).toHaveLength(2);
    bot.tokens.set('hushed-token', ['write:user', 'write:repository', 'write:issue']);
    expect(await state()).toEqual(['connected', 'bot', undefined]);
  });

  it('finds a repository again by its id after a rename, also if another one took its name', async () => {
    const { host, deps } = await openGitea();
    host.addUser('mover', 'token');
    const hosted = host.addRepository('mover/app');
    hosted.access.set('mover', 'write');
    const request = { kind: 'gitea', name: 'mover', fields: { url: host.origin, token: 'token' } };
    const { id } = await addGithost(deps, acme, actor, request, signal);
    const gate = openSourceGate(deps, { dataDir: temporaryFolder(), allowHosts: [] });
    const found = await findHostedSource(
      deps,
      acme,
      { githostConnectionId: id, source: 'mover/app' },
      signal,
    );
    const repository = {
      organizationId: acme.organizationId,
      githostConnectionId: id,
      hostRepositoryId: found.hostRepositoryId,
      source: found.source,
      sourceKind: 'https',
    } as const;
    expect(await gate.locate(repository, signal)).toBe(found.source);
    host.renameRepository(hosted, 'mover/renamed');
    host.addRepository('mover/app').access.set('mover', 'write');
    expect(await gate.locate(repository, signal)).toBe(`${host.origin}/mover/renamed.git`);
    host.deleteRepository(hosted);
    await expect(gate.locate(repository, signal)).rejects.toMatchObject({ reason: 'not_found' });
  });

  async function openApp() {
    const host = await startGithost({ flavour: 'github' });
    hosts.push(host);
    const { app, privateKey } = host.addApp({ setupUrl: 'https://ctx.example/setup' });
    let now = Date.now();
    const settings = { url: host.origin, apiUrl: host.apiUrl, appId: String(app.id), privateKey };
    const deps = testGithosts(database, keyring, {
      operatorOrigins: [host.origin],
      deployment: { kind: 'github', settings },
      clock: () => now,
    });
    let count = 0;
    const pending = (scope: OrgScope): Promise<GithostConnection> => {
      count += 1;
      const name = `${new URL(host.origin).port} ${count}`;
      return addGithost(deps, scope, actor, { kind: 'github', name, fields: {} }, signal);
    };
    /** Follows the link like a browser; returns the parameters of the redirect to the setup URL. */
    const install = async (scope: OrgScope, id: string, login = 'octo-org') => {
      host.installer = login;
      const url = await installUrlOf(deps, scope, actor, id, signal);
      const response = await fetch(url, { redirect: 'manual' });
      const { searchParams } = new URL(response.headers.get('location') ?? '');
      return {
        installationId: searchParams.get('installation_id') ?? '',
        state: searchParams.get('state') ?? '',
      };
    };
    return { host, app, deps, pending, install, advance: (ms: number) => void (now += ms) };
  }

  it('stores no App whose credentials the host refuses', async () => {
    const { host, app, deps: appDeps } = await openApp();
    const { privateKey } = host.addApp();
    const wrong = { appId: String(app.id + 1_000), privateKey };
    const request = { kind: 'github', name: 'wrong', fields: { url: host.origin, ...wrong } };
    await expect(addGithost(appDeps, acme, actor, request, signal)).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('refused the credentials'),
    });
    const { items } = await listGithosts(database.queries, acme, { limit: 200 });
    expect(items.map(({ name }) => name)).not.toContain('wrong');
  });

  it('claims an installation of the deployment App for one organization, by a state that works once', async () => {
    const { deps, pending, install } = await openApp();
    const ours = await pending(acme);
    expect(ours).toMatchObject({ state: 'pending', account: undefined });
    const redirect = await install(acme, ours.id);
    const claimed = await finishInstallation(deps, redirect, signal);
    expect(claimed).toMatchObject({
      id: ours.id,
      state: 'connected',
      installationId: redirect.installationId,
      account: { name: 'octo-org' },
    });
    await expect(finishInstallation(deps, redirect, signal)).rejects.toThrow('was used already');
    const theirs = await pending(globex);
    const { state } = await install(globex, theirs.id);
    await expect(
      finishInstallation(deps, { state, installationId: redirect.installationId }, signal),
    ).rejects.toMatchObject({ status: 409, message: expect.not.stringContaining('octo-org') });
    expect(await requireGithost(database.queries, globex, theirs.id)).toMatchObject({ state: 'pending' });
    await expect(installUrlOf(deps, globex, actor, ours.id, signal)).rejects.toMatchObject({ status: 404 });
  });

  it('claims a new installation of the same account only, after the App was uninstalled', async () => {
    const { host, deps, pending, install } = await openApp();
    const { id } = await pending(acme);
    const first = await finishInstallation(deps, await install(acme, id), signal);
    host.model.installations.clear();
    await expect(finishInstallation(deps, await install(acme, id, 'other-org'), signal)).rejects.toThrow(
      /^(?!.*other-org).* opens the repositories of octo-org, but/,
    );
    const again = await finishInstallation(deps, await install(acme, id), signal);
    expect(again).toMatchObject({ state: 'connected', account: first.account });
    expect(again.installationId).not.toBe(first.installationId);
  });

  it('uses no installation of a deployment App that has another Git host since', async () => {
    const { host, deps, pending, install } = await openApp();
    const { id } = await pending(acme);
    const claimed = await finishInstallation(deps, await install(acme, id), signal);
    const opening = (apiUrl: string) => {
      const { kind, settings } = deps.deployment;
      const deployment = { kind, settings: { ...settings, apiUrl } };
      return openHost({ ...deps, deployment, queries: database.queries }, claimed);
    };
    expect((await opening(`${host.apiUrl}/`)).settings).toMatchObject({ apiUrl: host.apiUrl });
    await expect(opening(`${host.origin}/other/api`)).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('Remove the connection and add it again'),
    });
  });

  it('refuses to claim an installation that nobody touched since the link was made', async () => {
    const { host, app, deps, pending, install } = await openApp();
    const foreign = host.install(app, 'victim-org');
    foreign.updatedAt = Date.now() - 3_600_000;
    const { id } = await pending(globex);
    const { state } = await install(globex, id, 'globex-org');
    await expect(
      finishInstallation(deps, { state, installationId: String(foreign.id) }, signal),
    ).rejects.toMatchObject({
      message: expect.stringMatching(/^(?!.*victim-org).* was made before this link/),
    });
    const redirect = await install(globex, id, 'victim-org');
    expect(await finishInstallation(deps, redirect, signal)).toMatchObject({
      account: { name: 'victim-org' },
    });
  });

  it('says what to change there, and lets the same link claim it afterwards', async () => {
    const { host, app, deps, pending, install } = await openApp();
    const former = host.install(app, 'former-org');
    former.updatedAt = Date.now() - 3_600_000;
    const { state } = await install(acme, (await pending(acme)).id, 'unrelated-org');
    const redirect = { state, installationId: String(former.id) };
    const said = `^(?!.*former-org)Installation ${former.id} of the App of this deployment.*same link again`;
    await expect(finishInstallation(deps, redirect, signal)).rejects.toThrow(new RegExp(said));
    former.updatedAt = Date.now();
    expect((await finishInstallation(deps, redirect, signal)).account?.name).toBe('former-org');
    await expect(finishInstallation(deps, redirect, signal)).rejects.toThrow('was used already');
  });

  it('limits the claims of an organization that guesses the ids of installations', async () => {
    const { host, deps, pending, install, advance } = await openApp();
    const { id } = await pending(globex);
    const tryIds = async (first: number): Promise<number> => {
      const { state } = await install(globex, id, 'globex-org');
      const wrong = { state, installationId: String(first) };
      const refusal = await finishInstallation(deps, wrong, signal).catch((error: unknown) => error);
      if ((refusal as { status?: number }).status === 429) return 0;
      expect(String(refusal)).toContain('knows no such installation');
      return 1 + (await tryIds(first + 1));
    };
    // Other tests of this file were refused on the same day.
    await tryIds(100_000);
    advance(86_400_001);
    host.advance(86_400_001);
    expect(await tryIds(200_000)).toBe(githostLimits.refusedClaimsPerDay);
    const { items } = await listAudit(database.queries, globex, { limit: 200 });
    const refused = items.filter(({ action }) => action === 'githost.install-refused');
    expect(refused.length).toBeGreaterThan(githostLimits.refusedClaimsPerDay);
    expect(items.map(({ action, actor: by }) => [action, by.kind])).toContainEqual([
      'githost.link-issued',
      'host',
    ]);
  });

  it('refuses an unknown, replaced or expired state and an installation that the host does not confirm', async () => {
    const { host, app, deps, pending, install, advance } = await openApp();
    const { id } = await pending(acme);
    const first = await install(acme, id);
    const second = await install(acme, id);
    await expect(finishInstallation(deps, first, signal)).rejects.toMatchObject({ status: 400 });
    await expect(finishInstallation(deps, { ...second, installationId: '999999' }, signal)).rejects.toThrow(
      'knows no such installation',
    );
    const suspended = host.install(app, 'other-org');
    host.changeInstallation(suspended, 'suspend');
    const { state } = await install(acme, id);
    await expect(
      finishInstallation(deps, { state, installationId: String(suspended.id) }, signal),
    ).rejects.toMatchObject({ message: expect.stringMatching(/^(?!.*other-org).* is suspended/) });
    const third = await install(acme, id);
    advance(10 * 60_000 + 1);
    await expect(finishInstallation(deps, third, signal)).rejects.toThrow('older than 10 minutes');
    expect(await requireGithost(database.queries, acme, id)).toMatchObject({ state: 'pending' });
  });
});

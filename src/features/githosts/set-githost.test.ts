import { generateKeyPairSync } from 'node:crypto';
import { afterEach, expect, it } from 'vitest';
import { type Githost, startGithost } from '../../../test/standins/githost/githost.ts';
import { seedOrganization, seedRepository } from '../../../test/support/codesearch/seeded-repositories.ts';
import { describeEachDatabase } from '../../../test/support/database/databases.ts';
import { testGithosts } from '../../../test/support/git/test-githosts.ts';
import { openTestKeyring } from '../../../test/support/http/http-server.ts';
import { newId } from '../../foundation/kernel/ids.ts';
import { listAudit } from '../identity/audit/audit-store.ts';
import { addGithost } from './add-githost.ts';
import { checkGithost } from './check-githost.ts';
import { credentialsFailure } from './credentials-failure.ts';
import { requireGithost } from './githost-store.ts';
import type { GithostsDeps } from './githosts-deps.ts';
import { finishInstallation, installUrlOf } from './install-githost.ts';
import { openHost } from './open-host.ts';
import { setGithost } from './set-githost.ts';

const actor = { kind: 'host' } as const;
const { signal } = new AbortController();

describeEachDatabase('changing a connection to a Git host', (open) => {
  const hosts: Githost[] = [];
  afterEach(() => Promise.all(hosts.splice(0).map((host) => host.close())));

  async function start(flavour: 'gitea' | 'github') {
    const host = await startGithost({ flavour });
    hosts.push(host);
    const database = await open();
    const allowHosts = [new URL(host.origin).host];
    const deps = testGithosts(database, await openTestKeyring(database), { allowHosts });
    return {
      host,
      deps,
      database,
      acme: await seedOrganization(database, `acme-${newId(Date.now())}`.slice(0, 39)),
    };
  }

  async function connectGitea() {
    const world = await start('gitea');
    world.host.addUser('bot', 'hushed-first');
    const fields = { url: world.host.origin, token: 'hushed-first' };
    const added = await addGithost(world.deps, world.acme, actor, { kind: 'gitea', fields }, signal);
    const set = (token: string, name?: string) =>
      setGithost(world.deps, world.acme, actor, added.id, { name, fields: { token } }, signal);
    return { ...world, added, set };
  }

  const tokenOf = async (deps: GithostsDeps, connection: Parameters<typeof openHost>[1]) =>
    (await openHost({ ...deps, queries: deps.database.queries }, connection)).settings.token;

  it('replaces an expired token, and starts the repositories that could not be read at once', async () => {
    const { host, deps, database, acme, added, set } = await connectGitea();
    const [waiting, healthy] = [
      await seedRepository(database, acme, { name: 'waiting' }),
      await seedRepository(database, acme, { name: 'healthy' }),
    ];
    const later = Date.now() + 3_600_000;
    const uses = { githost_connection_id: added.id, next_check_at: later };
    await database.queries.updateTable('repositories').set(uses).execute();
    const failed = { error: JSON.stringify({ code: 'git_authentication', message: 'refused' }) };
    await database.queries.updateTable('repositories').set(failed).where('id', '=', waiting).execute();
    const bot = host.addUser('bot', 'hushed-second');
    bot.tokens.delete('hushed-first');
    await checkGithost(deps, added, signal);
    expect(await requireGithost(database.queries, acme, added.id)).toMatchObject({ state: 'failed' });

    expect(await set('hushed-second', 'main')).toMatchObject({ id: added.id, state: 'connected' });

    const stored = await requireGithost(database.queries, acme, added.id);
    expect(stored).toMatchObject({
      name: 'main',
      state: 'connected',
      account: added.account,
      error: undefined,
    });
    expect(await tokenOf(deps, stored)).toBe('hushed-second');
    const started = await database.queries.selectFrom('jobs').select(['task', 'key']).execute();
    expect(started).toEqual([{ task: 'repository-clone', key: waiting }]);
    expect(healthy).not.toBe(waiting);
    const [entry] = (await listAudit(database.queries, acme, {})).items;
    expect(entry).toMatchObject({
      action: 'githost.changed',
      details: { name: 'main', replaced: ['token'] },
    });
    expect(JSON.stringify(entry)).not.toContain('hushed');
  });

  it('keeps the old token if the host refuses the new one, is silent, or it is of another account', async () => {
    const { host, deps, added, set } = await connectGitea();
    host.addUser('stranger', 'hushed-stranger');
    await expect(set('hushed-wrong')).rejects.toMatchObject({
      status: 400,
      message: expect.not.stringContaining('hushed'),
    });
    await expect(set('hushed-stranger')).rejects.toThrow('These credentials are of stranger, but gitea');
    host.failures.push({ reply: { status: 502 } });
    await expect(set('hushed-first')).rejects.toMatchObject({ code: 'githost_unavailable' });
    expect(await tokenOf(deps, added)).toBe('hushed-first');
  });

  it('changes no connection of another organization, no address, and takes no name that is in use', async () => {
    const { deps, database, acme, added, set, host } = await connectGitea();
    const globex = await seedOrganization(database, `globex-${newId(Date.now())}`.slice(0, 39));
    const rename = { name: 'x', fields: {} };
    await expect(setGithost(deps, globex, actor, added.id, rename, signal)).rejects.toMatchObject({
      status: 404,
    });
    const move = { fields: { url: 'https://elsewhere.example' } };
    await expect(setGithost(deps, acme, actor, added.id, move, signal)).rejects.toThrow(
      '`url` cannot be changed',
    );
    const fields = { url: host.origin, token: 'hushed-first' };
    await addGithost(deps, acme, actor, { kind: 'gitea', name: 'other', fields }, signal);
    await expect(set('hushed-first', 'other')).rejects.toMatchObject({ status: 409 });
    await expect(setGithost(deps, acme, actor, added.id, { fields: {} }, signal)).rejects.toThrow(
      'Nothing to change',
    );
  });

  it('replaces the key of an own App by another key of that App only', async () => {
    const { host, deps, acme, database } = await start('github');
    const { app, privateKey } = host.addApp({ setupUrl: 'https://ctx.example/setup' });
    const fields = { url: host.origin, appId: String(app.id), privateKey };
    const { id } = await addGithost(deps, acme, actor, { kind: 'github', fields }, signal);
    const foreignKey = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
    const foreign = foreignKey.export({ type: 'pkcs1', format: 'pem' }).toString();
    const set = (changed: Record<string, string>) =>
      setGithost(deps, acme, actor, id, { fields: changed }, signal);
    await expect(set({ privateKey: foreign })).rejects.toMatchObject({ status: 400 });
    expect(await set({ privateKey, webhookSecret: 'hushed-hook' })).toMatchObject({ state: 'pending' });
    await finishInstallation(deps, await installed(deps, acme, id), signal);
    await expect(set({ privateKey: foreign })).rejects.toMatchObject({ status: 400 });
    expect(await set({ privateKey })).toMatchObject({ state: 'connected', account: { name: 'octo-org' } });
    const connection = await requireGithost(database.queries, acme, id);
    const { settings } = await openHost({ ...deps, queries: database.queries }, connection);
    expect(settings).toMatchObject({ webhookSecret: 'hushed-hook', privateKey });
    expect(credentialsFailure(deps, connection, { code: 'refused', message: 'Refused.' }).message).toBe(
      `Refused. Replace the credentials: "orgctx githost set github --url ${deps.baseUrl} --private-key-file <file>".`,
    );
  });

  it('leaves the credentials of the deployment App to the operator', async () => {
    const { host, deps, acme } = await start('github');
    const { app, privateKey } = host.addApp();
    const settings = { url: host.origin, apiUrl: host.apiUrl, appId: String(app.id), privateKey };
    const shared = { ...deps, deployment: { kind: 'github', settings } };
    const { id } = await addGithost(shared, acme, actor, { kind: 'github', fields: {} }, signal);
    await expect(
      setGithost(shared, acme, actor, id, { fields: { webhookSecret: 'x' } }, signal),
    ).rejects.toThrow('uses the App of this deployment');
    expect(await setGithost(shared, acme, actor, id, { name: 'ours', fields: {} }, signal)).toMatchObject({
      name: 'ours',
    });
  });
});

/** Installs the App like a browser; returns the parameters of the redirect to the setup URL. */
async function installed(deps: GithostsDeps, scope: Parameters<typeof installUrlOf>[1], id: string) {
  const response = await fetch(await installUrlOf(deps, scope, actor, id, signal), { redirect: 'manual' });
  const { searchParams } = new URL(response.headers.get('location') ?? '');
  return {
    installationId: searchParams.get('installation_id') ?? '',
    state: searchParams.get('state') ?? '',
  };
}

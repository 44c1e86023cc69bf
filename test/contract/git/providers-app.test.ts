import { describe, expect, test } from 'vitest';
import { createTokenCache, GitHostError } from '../../../src/backends/git-providers/port.ts';
import { keyOf, openProviderStandIn, owner, runGit } from '../../support/git/provider-stand-in.ts';

/** Tests of an App: its tokens, its installations and its own webhook. */

const { signal } = new AbortController();
const tokenCalls = /access_tokens$/;

async function failureOf(promise: Promise<unknown>): Promise<GitHostError> {
  const outcome = await promise.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (outcome instanceof GitHostError) return outcome;
  throw new Error(`it did not fail with a GitHostError: ${String(outcome)}`);
}

describe('tokens of an installation', () => {
  test('are fetched once for callers at the same time, and again before they expire', async () => {
    await using opened = await openProviderStandIn('github');
    const { githost, host, provider, settings, deps } = opened;
    const key = keyOf(opened.repository());
    const fetched = (): number => githost.calls.filter((call) => tokenCalls.test(call)).length;
    const other = provider.open(settings, deps);
    const gone = new AbortController();
    const abandoned = host.headOf(key, 'main', gone.signal).catch(() => 'abandoned');
    const all = [host, other, host, other].map((one) => one.headOf(key, 'main', signal));
    gone.abort(new Error('the caller left'));
    expect(await abandoned).toBe('abandoned');
    expect(new Set(await Promise.all(all)).size).toBe(1);
    expect(fetched()).toBe(1);
    githost.advance(54 * 60_000);
    await host.headOf(key, 'main', signal);
    expect(fetched()).toBe(1);
    githost.advance(2 * 60_000);
    await host.headOf(key, 'main', signal);
    expect(fetched()).toBe(2);
  });

  test('of any length work, for calls and for Git', async () => {
    await using opened = await openProviderStandIn('github');
    opened.githost.model.tokenLength = 4_000;
    const repository = opened.repository();
    expect(await opened.host.headOf(keyOf(repository), 'main', signal)).toBeDefined();
    const output = await runGit(opened, repository, 'read', (url) => ['ls-remote', url]);
    expect(output).toContain('refs/heads/main');
  });

  test('that the host refuses are replaced once, and a failed fetch is not remembered', async () => {
    await using opened = await openProviderStandIn('github');
    const { githost, host } = opened;
    const key = keyOf(opened.repository());
    await host.headOf(key, 'main', signal);
    githost.model.tokens.clear();
    expect(await host.headOf(key, 'main', signal)).toBeDefined();
    githost.model.tokens.clear();
    githost.failures.push({ calls: tokenCalls, times: 1, reply: { status: 503 } });
    await expect(host.headOf(key, 'main', signal)).rejects.toThrow('not available');
    expect(await host.headOf(key, 'main', signal)).toBeDefined();
  });

  test('are never given to a connection with another key, App or API', async () => {
    await using opened = await openProviderStandIn('github');
    const { githost, host, provider, settings, deps } = opened;
    const key = keyOf(opened.repository());
    await host.headOf(key, 'main', signal);
    const { generateKeyPairSync } = await import('node:crypto');
    const privateKey = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
    }).privateKey;
    const { app } = githost.addApp();
    for (const changed of [{ privateKey }, { appId: '77' }, { appId: String(app.id) }]) {
      const thief = provider.open({ ...settings, ...changed }, deps);
      expect((await failureOf(thief.headOf(key, 'main', signal))).reason).toBe('authentication');
    }
  });

  test('for Git reach one repository and only what was asked for', async () => {
    await using opened = await openProviderStandIn('github');
    const { githost, host } = opened;
    const one = opened.repository('octo-org/one');
    const two = opened.repository('octo-org/two');
    const list = (url: string): string[] => ['ls-remote', url];
    const head = one.bare.branches().get('main') ?? '';
    const push = (url: string): string[] => ['push', url, `${head}:refs/heads/new`];
    await expect(runGit(opened, one, 'read', push, one.bare.gitDir)).rejects.toThrow('403');
    await runGit(opened, one, 'write', push, one.bare.gitDir);
    const { password } = await host.credentials('read', signal, keyOf(one));
    const borrowed = { ...opened, host: { ...host, credentials: async () => ({ username: 'x', password }) } };
    await expect(runGit(borrowed, two, 'read', list)).rejects.toThrow('not found');
    expect([...githost.model.tokens.values()].map(({ permissions }) => permissions)).toEqual([
      { contents: 'read' },
      { contents: 'write' },
    ]);
  });

  test('that lose a permission in the middle of a push end the push', async () => {
    await using opened = await openProviderStandIn('github');
    const repository = opened.repository();
    const head = repository.bare.branches().get('main') ?? '';
    const push = (url: string): string[] => ['push', url, `${head}:refs/heads/new`];
    repository.beforePush = () => void (repository.git = { kind: 'expire' });
    await expect(runGit(opened, repository, 'write', push, repository.bare.gitDir)).rejects.toThrow();
    repository.git = { kind: 'well' };
    repository.protectedBranches.add('new');
    await expect(runGit(opened, repository, 'write', push, repository.bare.gitDir)).rejects.toThrow(
      'Protected branch',
    );
    expect(repository.bare.branches().has('new')).toBe(false);
  });

  test('need the permission, which the error names', async () => {
    await using opened = await openProviderStandIn('github');
    const key = keyOf(opened.repository());
    const { installation, host } = opened;
    if (installation !== undefined) installation.permissions['contents'] = 'read';
    const error = await failureOf(host.credentials('write', signal, key));
    expect(error).toMatchObject({ reason: 'forbidden', retryable: false });
    expect(error.message).toContain('contents: write');
  });

  test('are dropped beyond the maximum, the oldest first', async () => {
    const cache = createTokenCache(() => 0);
    let fetches = 0;
    const get = (key: string): Promise<string> =>
      cache.get(key, async () => ({ token: `${key}-${(fetches += 1)}`, expiresAt: 3_600_000 }), signal);
    for (let n = 0; n <= 1_000; n += 1) await get(`key${n}`);
    expect([await get('key1000'), await get('key0')]).toEqual(['key1000-1001', 'key0-1002']);
    cache.forget('key0', 'another');
    expect(await get('key0')).toBe('key0-1002');
  });
});

describe('installations', () => {
  test('are confirmed by the API, and those of another App are not found', async () => {
    await using opened = await openProviderStandIn('github');
    const { githost, host, installation } = opened;
    const id = String(installation?.id);
    expect(await host.installation(id, signal)).toEqual({
      id,
      account: { id: String(installation?.account.id), name: owner, url: `${githost.origin}/${owner}` },
      suspended: false,
      changedAt: installation?.updatedAt,
      missingPermissions: [],
    });
    const foreign = githost.install(githost.addApp().app, 'other');
    for (const wrong of [String(foreign.id), '999', '0', '-1', '1/../2', '', 'x'.repeat(300)]) {
      expect(await host.installation(wrong, signal)).toBeUndefined();
    }
    if (installation !== undefined) installation.permissions['contents'] = 'read';
    expect(await host.installation(id, signal)).toMatchObject({ missingPermissions: ['contents: write'] });
    expect(githost.strays).toEqual([]);
  });

  test('need the right to add webhooks only if the App has none', async () => {
    await using opened = await openProviderStandIn('github');
    const { installation, provider, settings, deps, host } = opened;
    const id = String(installation?.id);
    delete installation?.permissions['repository_hooks'];
    expect(await host.installation(id, signal)).toMatchObject({
      missingPermissions: ['repository_hooks: write'],
    });
    const ofApp = provider.open({ ...settings, webhookSecret: 'shared' }, deps);
    expect(await ofApp.installation(id, signal)).toMatchObject({ missingPermissions: [] });
  });

  test('that are suspended, deleted or missing say what to do', async () => {
    await using opened = await openProviderStandIn('github');
    const { githost, host, installation, provider, settings, deps } = opened;
    const key = keyOf(opened.repository());
    if (installation === undefined) throw new Error('there is no installation');
    await host.headOf(key, 'main', signal);
    const failures = async (): Promise<string[]> => {
      const calls = [
        host.account(signal),
        host.headOf(key, 'main', signal),
        host.credentials('read', signal, key),
      ];
      const errors = await Promise.all(calls.map(failureOf));
      for (const { reason } of errors) expect(reason).toBe('authentication');
      return errors.map(({ message }) => message);
    };
    githost.changeInstallation(installation, 'suspend');
    for (const message of await failures()) expect(message).toContain('Unsuspend it');
    githost.changeInstallation(installation, 'deleted');
    for (const message of await failures()) expect(message).toContain('Install it again');
    const { installationId: _, ...pending } = settings;
    const error = await failureOf(provider.open(pending, deps).account(signal));
    expect(error.message).toContain('install URL');
  });

  test('begin at the install URL, which brings the state back', async () => {
    await using opened = await openProviderStandIn('github');
    const { githost, provider, deps, settings } = opened;
    const { app, privateKey } = githost.addApp({ setupUrl: 'https://orgctx.example.com/setup' });
    githost.installer = 'new-org';
    const { appSlug: _, ...own } = { ...settings, appId: String(app.id), privateKey };
    const url = await provider.open(own, deps).installUrl('a&b=c', signal);
    expect(url).toBe(`${githost.origin}/github-apps/${app.slug}/installations/new?state=a%26b%3Dc`);
    const response = await fetch(url, { redirect: 'manual' });
    const target = new URL(response.headers.get('location') ?? '');
    expect(target.searchParams.get('state')).toBe('a&b=c');
    const id = target.searchParams.get('installation_id') ?? '';
    expect(await provider.open(own, deps).installation(id, signal)).toMatchObject({
      account: { name: 'new-org' },
    });
    const again = await fetch(url, { redirect: 'manual' });
    expect(again.headers.get('location')).toContain('setup_action=update');
    const calls = githost.calls.length;
    const cloud = provider.open({ ...own, url: 'https://github.com', appSlug: 'mine' }, deps);
    expect(await cloud.installUrl('s', signal)).toBe(
      'https://github.com/apps/mine/installations/new?state=s',
    );
    expect(githost.calls.length).toBe(calls);
  });
});

describe('the App-wide webhook', () => {
  test('tells pushes of every repository and changes of installations', async () => {
    await using opened = await openProviderStandIn('github');
    const { githost, provider } = opened;
    const { app } = githost.addApp({ webhook: { url: 'http://127.0.0.1:1/', secret: 'shared' } });
    const installation = githost.install(app, 'new-org');
    githost.hooks.dropped = true;
    const repository = githost.addRepository('new-org/a', {});
    const after = githost.commit(repository, { a: 'a' });
    githost.changeInstallation(installation, 'suspend');
    const installationId = String(installation.id);
    for (const delivery of githost.hooks.deliveries) {
      expect(provider.hooks?.verify(delivery, 'shared')).toBe(true);
    }
    expect(githost.hooks.deliveries.map((delivery) => provider.hooks?.read(delivery))).toEqual([
      {
        kind: 'push',
        repository: keyOf(repository),
        branch: 'main',
        before: undefined,
        after,
        installationId,
      },
      { kind: 'installation', installationId },
    ]);
    const body = Buffer.from(JSON.stringify({ action: 'renamed', repository: { id: 7, full_name: 'a/b' } }));
    expect(provider.hooks?.read({ headers: { 'x-github-event': 'repository' }, body })).toEqual({
      kind: 'repository',
      repository: { id: '7', fullName: 'a/b' },
      installationId: undefined,
    });
  });
});

describe('settings of an App', () => {
  test('come from the deployment unless the connection has its own', async () => {
    await using opened = await openProviderStandIn('github');
    const { provider, settings } = opened;
    const { privateKey = '' } = settings;
    const deployment = {
      url: 'https://ghe.example.com',
      apiUrl: 'https://api.example.com',
      appId: '5',
      privateKey,
    };
    expect(provider.parse({}, deployment)).toEqual({ ...deployment, deploymentApp: true });
    expect(provider.parse({ appId: '6', privateKey }, deployment)).toEqual({
      ...deployment,
      appId: '6',
      privateKey,
    });
    expect(() => provider.parse({ url: 'https://github.com' }, deployment)).toThrow('GITHOST_APP_ID');
    expect(() => provider.parse({})).toThrow('no GitHub App');
    expect(() => provider.parse({ appId: '6', privateKey: 'hush' })).toThrow('private RSA key');
    expect(() => provider.parse({ privateKey })).toThrow('`appId` is required');
    const urls = (url: string) => provider.parse({ url, appId: '6', privateKey }).apiUrl;
    expect([
      urls('https://github.com/'),
      urls('https://acme.ghe.com'),
      urls('https://git.example.com'),
    ]).toEqual(['https://api.github.com', 'https://api.acme.ghe.com', 'https://git.example.com/api/v3']);
  });
});

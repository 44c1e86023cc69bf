import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { gitProviders } from '../../../src/app/open/git-providers.ts';
import type { HookDelivery } from '../../../src/backends/git-providers/port.ts';
import type { Delivery } from '../../standins/githost/hook-delivery.ts';
import {
  errorOf,
  keyOf,
  openProviderStandIn,
  owner,
  reasonOf,
  receiveHooks,
  runGit,
  withHost,
} from '../../support/git/provider-stand-in.ts';

const { signal } = new AbortController();
const kinds = gitProviders.map(({ kind, can }) => ({ kind, can }));
const withApi = kinds.filter(({ can }) => can.list);
const methods = ['merge', 'squash', 'rebase'] as const;
const marker = '<!-- orgctx:configuration -->';

describe.each(kinds)('$kind', ({ kind, can }) => {
  test('its credentials clone a private repository, and others do not', () =>
    withHost(kind, async (opened) => {
      const repository = opened.repository();
      const head = repository.bare.branches().get('main');
      const list = (url: string): string[] => ['ls-remote', url, 'refs/heads/main'];
      expect(await runGit(opened, repository, 'read', list)).toBe(`${head}\trefs/heads/main\n`);
      const foreign = opened.githost.addRepository('other/secret', { files: { a: 'a' } });
      expect(String(await errorOf(runGit(opened, foreign, 'read', list)))).toMatch(/not found|access/);
    }));

  test('it names its account', () =>
    withHost(kind, async (opened) => {
      const account = await opened.host.account(signal);
      expect(account.name).toBe(can.install ? owner : 'bot');
      expect(account.url.startsWith(opened.githost.origin)).toBe(true);
    }));

  test('it refuses what it cannot do', () =>
    withHost(kind, async ({ host, repository }) => {
      const key = keyOf(repository());
      const pull = { head: 'a', base: 'main', title: 't', body: 'b' };
      const calls: [boolean, () => Promise<unknown>][] = [
        [can.push, () => host.credentials('write', signal)],
        [can.list, () => host.listRepositories({ limit: 1 }, signal)],
        [can.list, () => host.findRepository(key, signal)],
        [can.list, () => host.headOf(key, 'main', signal)],
        [can.list, () => host.readFile(key, { path: 'a', commit: 'main' }, signal)],
        [can.hooks, () => host.removeHook(key, 'https://example.com', signal)],
        [can.pullRequests, () => host.findPullRequest(key, pull, signal)],
        [can.install, () => host.installUrl('state', signal)],
        [can.install, () => host.installation('1', signal)],
      ];
      for (const [able, call] of calls) {
        if (able) await call();
        else expect(await reasonOf(call())).toBe('unsupported');
      }
    }));

  test('it names unknown and missing fields, and repeats no value', () => {
    const provider = gitProviders.find((one) => one.kind === kind);
    for (const { name } of provider?.fields.filter(({ required }) => required) ?? []) {
      expect(() => provider?.parse({})).toThrow(`\`${name}\` is required`);
    }
    expect(() => provider?.parse({ ulr: 'hush' })).toThrow('did you mean `url`');
    for (const url of ['ftp://hush', 'https://user:hush@example.com', 'https://example.com/?hush']) {
      const parse = () =>
        provider?.parse({
          url,
          ...(kind === 'github' ? {} : { token: 't' }),
          ...(kind === 'https' && { user: 'u' }),
        });
      expect(parse).toThrow('must be the https URL');
      expect(parse).not.toThrow('hush');
    }
  });
});

describe.each(withApi)('$kind: repositories', ({ kind, can }) => {
  test('are found by name and id, and URLs stay at the connection', () =>
    withHost(kind, async ({ host, repository, githost }) => {
      const hosted = repository('octo-org/Service');
      const url = `${githost.origin}/octo-org/Service`;
      const expected = {
        id: String(hosted.id),
        fullName: 'octo-org/Service',
        cloneUrl: `${url}.git`,
        url,
        defaultBranch: 'main',
        private: true,
        empty: false,
        canWrite: true,
        archived: false,
      };
      expect(await host.findRepository('octo-org/service', signal)).toEqual(expected);
      expect(await host.findRepository(keyOf(hosted), signal)).toEqual(expected);
      expect(await host.findRepository('octo-org/none', signal)).toBeUndefined();
      const calls = githost.calls.length;
      for (const name of ['../../user', 'octo-org/..', 'a//b', 'a/', '/b']) {
        await expect(host.findRepository(name, signal)).rejects.toThrow('empty part');
      }
      expect(githost.calls.length).toBe(calls);
    }));

  test('keep their id when they are renamed or transferred, also after another takes the name', () =>
    withHost(kind, async ({ host, repository, githost }) => {
      const moved = repository('octo-org/old');
      const key = keyOf(moved);
      githost.renameRepository(moved, 'octo-org/new');
      expect(await host.findRepository('octo-org/old', signal)).toMatchObject({
        id: key.id,
        fullName: 'octo-org/new',
      });
      const impostor = repository('octo-org/old', { 'README.md': 'Other\n' });
      const head = await host.headOf(key, 'main', signal);
      expect(head).toBe(moved.bare.branches().get('main'));
      expect(head).not.toBe(impostor.bare.branches().get('main'));
      await host.ensureHook(key, { url: 'https://example.com/hook', secret: 's' }, signal);
      expect([moved.hooks.length, impostor.hooks.length]).toEqual([1, 0]);
    }));

  test('tell a deleted repository from a missing branch or file', () =>
    withHost(kind, async ({ host, repository, githost }) => {
      const hosted = repository('octo-org/a', { 'tracker/config.yaml': 'scope: {}\n' });
      const key = keyOf(hosted);
      const commit = (await host.headOf(key, 'main', signal)) ?? '';
      const file = await host.readFile(key, { path: 'tracker/config.yaml', commit }, signal);
      expect(file?.content.toString()).toBe('scope: {}\n');
      expect(await host.headOf(key, 'none', signal)).toBeUndefined();
      expect(await host.readFile(key, { path: 'none', commit }, signal)).toBeUndefined();
      githost.commit(hosted, { big: 'x'.repeat(1024 * 1024 + 1) });
      expect(await reasonOf(host.readFile(key, { path: 'big', commit: 'main' }, signal))).toBe('invalid');
      githost.deleteRepository(hosted);
      expect(await host.findRepository(key, signal)).toBeUndefined();
      expect(await reasonOf(host.headOf(key, 'main', signal))).toBe('not_found');
      expect(await reasonOf(host.readFile(key, { path: 'none', commit }, signal))).toBe('not_found');
    }));

  test('show that one is empty, archived or read only, and where its default branch went', () =>
    withHost(kind, async ({ host, repository, githost, installation }) => {
      const empty = repository('octo-org/empty', {});
      expect(await host.findRepository('octo-org/empty', signal)).toMatchObject({
        empty: true,
        canWrite: true,
      });
      expect(await host.headOf(keyOf(empty), 'main', signal)).toBeUndefined();
      githost.commit(empty, { a: 'a' }, 'trunk');
      empty.defaultBranch = 'trunk';
      expect(await host.findRepository('octo-org/empty', signal)).toMatchObject({
        empty: false,
        defaultBranch: 'trunk',
      });
      empty.archived = true;
      expect(await host.findRepository('octo-org/empty', signal)).toMatchObject({
        archived: true,
        canWrite: false,
      });
      const other = repository('octo-org/other');
      other.access.set('bot', 'read');
      if (installation !== undefined) installation.permissions['pull_requests'] = 'read';
      expect(await host.findRepository('octo-org/other', signal)).toMatchObject({ canWrite: false });
    }));

  test('are listed in pages, ten thousand of them, each once', () =>
    withHost(kind, async ({ host, repository, githost }) => {
      for (let n = 0; n < 10_000; n += 1) repository(`octo-org/r${n}`, {});
      githost.addRepository('other/secret');
      const ids = new Set<string>();
      let cursor: string | undefined;
      let pages = 0;
      do {
        const page = await host.listRepositories(
          { limit: 650, ...(cursor !== undefined && { cursor }) },
          signal,
        );
        for (const { id } of page.items) ids.add(id);
        expect(page.items.length).toBeLessThanOrEqual(650);
        cursor = page.nextCursor;
        pages += 1;
      } while (cursor !== undefined);
      expect([ids.size, pages]).toEqual([10_000, 16]);

      githost.calls.length = 0;
      const named = await host.listRepositories({ query: 'R99', limit: 50 }, signal);
      expect(named.items.length).toBeGreaterThanOrEqual(11);
      expect(named.items.every(({ fullName }) => fullName.includes('r99'))).toBe(true);
      // One call stays bounded although GitHub has no search.
      expect(githost.calls.length).toBeLessThanOrEqual(12);
      expect(await reasonOf(host.listRepositories({ cursor: 'x', limit: 1 }, signal))).toBe('invalid');
    }));

  test('are hidden if they belong to somebody else', () =>
    withHost(kind, async ({ host, githost }) => {
      const foreign = githost.addRepository('other/secret', { files: { a: 'a' } });
      expect(await host.findRepository('other/secret', signal)).toBeUndefined();
      expect(await host.findRepository(keyOf(foreign), signal)).toBeUndefined();
      expect(await reasonOf(host.headOf(keyOf(foreign), 'main', signal))).toBe('not_found');
      if (can.install)
        expect(await reasonOf(host.credentials('read', signal, keyOf(foreign)))).toBe('not_found');
    }));
});

describe.each(kinds.filter((one) => one.can.hooks))('$kind: webhooks', ({ kind }) => {
  test('one that two workers ensure at the same time is one', () =>
    withHost(kind, async ({ host, githost, repository }) => {
      const hosted = repository();
      const hook = { url: 'https://example.com/hook', secret: 's' };
      const isAdding = (call: string) => /^POST .*hooks$/.test(call);
      githost.beforeAnswer = async (call) => {
        if (isAdding(call)) await expect.poll(() => githost.calls.filter(isAdding)).toHaveLength(2);
      };
      // GitHub refuses the second one.
      await Promise.allSettled([1, 2].map(() => host.ensureHook(keyOf(hosted), hook, signal)));
      expect(hosted.hooks).toMatchObject([hook]);
    }));

  test('one that is ensured twice is one, and the last secret signs', () =>
    withHost(kind, async (opened) => {
      const { host, githost, provider } = opened;
      await using receiver = await receiveHooks();
      const { url, received } = receiver;
      const repository = opened.repository();
      const key = keyOf(repository);
      repository.hooks.push({
        id: 1,
        url: 'https://example.com/other',
        secret: '',
        events: ['push'],
        active: true,
      });
      await host.ensureHook(key, { url, secret: 'first' }, signal);
      await host.ensureHook(key, { url, secret: 'second' }, signal);
      expect(repository.hooks.map((hook) => hook.url)).toEqual(['https://example.com/other', url]);
      repository.hooks.shift();

      const before = repository.bare.branches().get('main');
      const after = githost.commit(repository, { b: 'b' });
      await githost.hooks.settled();
      const [delivery] = received;
      if (delivery === undefined) throw new Error('nothing was delivered');
      expect([provider.hooks?.verify(delivery, 'second'), provider.hooks?.verify(delivery, 'first')]).toEqual(
        [true, false],
      );
      expect(provider.hooks?.deliveryIdOf(delivery)).toBe(githost.hooks.deliveries[0]?.id);
      expect(provider.hooks?.read(delivery)).toEqual({
        kind: 'push',
        repository: key,
        branch: 'main',
        before,
        after,
        installationId: undefined,
      });

      await host.removeHook(key, url, signal);
      await host.removeHook(key, url, signal);
      expect(repository.hooks).toEqual([]);
      githost.deleteRepository(repository);
      await host.removeHook(key, url, signal);
    }));

  test('show a branch that was created, deleted or pushed over Git, and no tag', () =>
    withHost(kind, async (opened) => {
      const { githost, provider } = opened;
      const repository = opened.repository();
      repository.hooks.push({
        id: 1,
        url: 'http://127.0.0.1:1/',
        secret: 's',
        events: ['push'],
        active: true,
      });
      githost.hooks.dropped = true;
      const head = repository.bare.branches().get('main') ?? '';
      await runGit(
        opened,
        repository,
        'write',
        (url) => ['push', url, `${head}:refs/heads/x/y`],
        repository.bare.gitDir,
      );
      await expect.poll(() => githost.hooks.deliveries.length).toBe(1);
      githost.change(repository, () => repository.bare.git('update-ref', '-d', 'refs/heads/x/y'));
      const read = (delivery: HookDelivery) => provider.hooks?.read(delivery);
      expect(githost.hooks.deliveries.map(read)).toMatchObject([
        { branch: 'x/y', before: undefined, after: head },
        { branch: 'x/y', before: head, after: undefined },
      ]);
      const [delivery] = githost.hooks.deliveries;
      if (delivery === undefined) throw new Error('nothing was delivered');
      expect(read(withBody(delivery, { ref: 'refs/tags/v1' }))).toMatchObject({ kind: 'ignored' });
      expect(() => read(withBody(delivery, { after: 'x' }))).toThrow('cannot be read');
      expect(read({ ...delivery, headers: { 'x-github-event': 'ping', 'x-gitea-event': 'ping' } })).toEqual({
        kind: 'ignored',
        reason: 'ping',
      });
    }));

  test('that are forged are refused', () =>
    withHost(kind, async ({ githost, provider, repository }) => {
      const hosted = repository();
      hosted.hooks.push({ id: 1, url: 'http://127.0.0.1:1/', secret: 's', events: ['push'], active: true });
      githost.hooks.dropped = true;
      githost.commit(hosted, { b: 'b' });
      const [delivery] = githost.hooks.deliveries;
      if (delivery === undefined || provider.hooks === undefined) throw new Error('nothing was delivered');
      const { hooks } = provider;
      expect(hooks.verify(delivery, 's')).toBe(true);
      expect(hooks.verify({ ...delivery, body: Buffer.concat([delivery.body, Buffer.from(' ')]) }, 's')).toBe(
        false,
      );
      const unsigned = createHmac('sha256', '').update(delivery.body).digest('hex');
      const headers = { 'x-hub-signature-256': `sha256=${unsigned}`, 'x-gitea-signature': unsigned };
      expect(hooks.verify({ headers, body: delivery.body }, '')).toBe(false);
      const bare = {
        'x-gitea-signature': String(delivery.headers['x-hub-signature-256']).slice('sha256='.length),
      };
      expect(hooks.verify({ headers: bare, body: delivery.body }, 's')).toBe(kind === 'gitea');
      for (const signature of ['', 'sha256=', `sha1=${'0'.repeat(40)}`, `sha256=${'0'.repeat(64)}`]) {
        expect(
          hooks.verify(
            { ...delivery, headers: { ...delivery.headers, 'x-hub-signature-256': signature } },
            's',
          ),
        ).toBe(false);
      }
      expect(hooks.verify({ ...delivery, headers: {} }, 's')).toBe(false);
    }));
});

describe.each(kinds.filter((one) => one.can.pullRequests))('$kind: pull requests', ({ kind }) => {
  const branches = { head: 'orgctx/config', base: 'main' };
  const request = { ...branches, title: 'Add the configuration', body: 'Please review.' };

  test('are found, opened once, closed and reopened', () =>
    withHost(kind, async ({ host, githost, repository }) => {
      const hosted = repository();
      const key = keyOf(hosted);
      expect(await host.findPullRequest(key, branches, signal)).toBeUndefined();
      hosted.bare.git('update-ref', 'refs/heads/orgctx/config', 'main');
      expect(await reasonOf(host.openPullRequest(key, request, signal))).toBe('invalid');
      const headCommit = githost.commit(hosted, { 'config.yaml': 'a: 1\n' }, branches.head);
      const pull = await host.openPullRequest(key, request, signal);
      expect(pull).toMatchObject({ number: 1, state: 'open', headCommit });
      expect(pull.url).toMatch(new RegExp(`^${githost.origin}/octo-org/service/pulls?/1$`));
      expect(await reasonOf(host.openPullRequest(key, request, signal))).toBe('conflict');
      expect(await host.findPullRequest(key, branches, signal)).toEqual(pull);

      const [stored] = hosted.pulls;
      if (stored !== undefined) stored.state = 'closed';
      expect(await host.findPullRequest(key, branches, signal)).toMatchObject({ number: 1, state: 'closed' });
      expect(await host.reopenPullRequest(key, 1, signal)).toMatchObject({ number: 1, state: 'open' });
      githost.change(hosted, () => hosted.bare.git('update-ref', '-d', 'refs/heads/orgctx/config'));
      expect(await host.findPullRequest(key, branches, signal)).toMatchObject({ state: 'closed' });
      expect(await reasonOf(host.reopenPullRequest(key, 1, signal))).toMatch(/invalid|not_found/);
    }));

  // The merge itself is Git's, and the same for every kind.
  test.each(kind === 'github' ? methods : methods.slice(1, 2))(
    'merged by %s show the commit on the target',
    (method) =>
      withHost(kind, async ({ host, githost, repository }) => {
        const hosted = repository();
        hosted.protectedBranches.add('main');
        const key = keyOf(hosted);
        hosted.bare.git('update-ref', 'refs/heads/orgctx/config', 'main');
        const headCommit = githost.commit(hosted, { 'config.yaml': 'a: 1\n' }, branches.head);
        await host.openPullRequest(key, request, signal);
        githost.commit(hosted, { other: 'by a person' });
        githost.merge(hosted, 1, { method, deleteBranch: true });
        const merged = await host.findPullRequest(key, branches, signal);
        const mergeCommit = await host.headOf(key, 'main', signal);
        expect(merged).toMatchObject({ state: 'merged', headCommit, mergeCommit });
        expect(mergeCommit).not.toBe(headCommit);
        const parents = hosted.bare.git('rev-list', '--parents', '-1', 'main').split(' ').length - 1;
        expect(parents).toBe(method === 'merge' ? 2 : 1);
        expect(await host.readFile(key, { path: 'config.yaml', commit: 'main' }, signal)).toBeDefined();
        expect(await host.headOf(key, branches.head, signal)).toBeUndefined();
        expect(await reasonOf(host.reopenPullRequest(key, 1, signal))).toBe('invalid');
      }),
  );

  test('have one comment that is updated, and the comments of others stay', () =>
    withHost(kind, async ({ host, githost, repository }) => {
      const hosted = repository();
      const key = keyOf(hosted);
      hosted.bare.git('update-ref', 'refs/heads/orgctx/config', 'main');
      githost.commit(hosted, { 'config.yaml': 'a: 1\n' }, branches.head);
      await host.openPullRequest(key, request, signal);
      const account = githost.addUser('mallory', 'other-token');
      const forged = { id: 1, pull: 1, author: { kind: 'user', account } as const, body: `Mine. ${marker}` };
      hosted.comments.push(
        forged,
        ...Array.from({ length: 120 }, (_, n) => ({ ...forged, id: n + 2, body: 'Noise' })),
      );
      await host.comment(key, 1, { marker, body: 'Line 1 is invalid.' }, signal);
      await host.comment(key, 1, { marker, body: 'Line 2 is invalid.' }, signal);
      const marked = hosted.comments.filter(({ body }) => body.includes(marker));
      expect(marked.map(({ body }) => body)).toEqual([`Mine. ${marker}`, `Line 2 is invalid.\n\n${marker}`]);
    }));
});

test('the stand-in refuses routes, parameters and fields that the hosts do not have', async () => {
  await using opened = await openProviderStandIn('gitea');
  const { apiUrl, strays } = opened.githost;
  const headers = { authorization: `token ${opened.settings.token}` };
  const { fullName } = opened.repository();
  for (const [method, path, body] of [
    ['GET', '/unknown', undefined],
    ['GET', '/user?extra=1', undefined],
    ['POST', `/repos/${fullName}/pulls`, '{"head":"a","base":"b","title":"t","body":"","extra":1}'],
  ] as const) {
    const response = await fetch(`${apiUrl}${path}`, {
      method,
      headers,
      ...(body !== undefined && { body }),
    });
    expect([404, 422]).toContain(response.status);
  }
  expect(strays).toHaveLength(3);
});

function withBody(delivery: Delivery, changed: object): HookDelivery {
  const body = { ...JSON.parse(delivery.body.toString()), ...changed };
  return { headers: delivery.headers, body: Buffer.from(JSON.stringify(body)) };
}

import { describe, expect, test } from 'vitest';
import { gitProviders } from '../../../src/app/open/git-providers.ts';
import { RateLimited, Unavailable } from '../../../src/foundation/kernel/errors.ts';
import { createHttpClient } from '../../../src/foundation/net/http-client.ts';
import { errorOf, keyOf, reasonOf, withHost } from '../../support/git/provider-stand-in.ts';

const { signal } = new AbortController();
const withApi = gitProviders.filter(({ can }) => can.list).map(({ kind, can }) => ({ kind, can }));

describe.each(withApi)('$kind: failures', ({ kind, can }) => {
  test('that pass by themselves say when to retry', () =>
    withHost(kind, async ({ host, githost, repository }) => {
      const key = keyOf(repository());
      await host.headOf(key, 'main', signal);
      const find = () => errorOf(host.headOf(key, 'main', signal));
      const answer = (status: number, headers = {}, message = 'no'): void =>
        void githost.failures.push({ times: 1, reply: { status, headers, body: { message } } });
      answer(429, { 'retry-after': '7' });
      expect(await find()).toMatchObject({ constructor: RateLimited, retryAfter: 7 });
      answer(429, { 'retry-after': new Date(githost.model.now() + 90_000).toUTCString() });
      expect(await find()).toMatchObject({ constructor: RateLimited, retryAfter: expect.closeTo(90, -1) });
      answer(403, {}, 'You have exceeded a secondary rate limit');
      expect(await find()).toMatchObject({ constructor: RateLimited, retryAfter: 60 });
      const reset = String(Math.floor(githost.model.now() / 1_000) + 600);
      answer(403, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset });
      expect(await find()).toMatchObject({ constructor: RateLimited, retryAfter: expect.closeTo(600, -1) });
      answer(503, { 'retry-after': '3' });
      expect(await find()).toMatchObject({ constructor: Unavailable, retryAfter: 3 });
      for (const long of ['999999999', new Date(githost.model.now() + 10 * 86_400_000).toUTCString()]) {
        answer(429, { 'retry-after': long });
        expect(await find()).toMatchObject({ constructor: RateLimited, retryAfter: 3_600 });
        answer(503, { 'retry-after': long });
        expect(await find()).toMatchObject({ constructor: Unavailable, retryAfter: 3_600 });
      }
      answer(502);
      expect(await find()).toMatchObject({ constructor: Unavailable, retryAfter: undefined });
      githost.failures.push({ times: 1, reply: { status: 200, body: '<html>Sign in</html>' } });
      expect(await find()).toMatchObject({ reason: 'protocol', retryable: false });
      githost.failures.push({ times: 1, reply: 'silent' });
      await expect(host.headOf(key, 'main', AbortSignal.timeout(50))).rejects.toThrow('timeout');
    }));

  test('do not keep a list of repositories going that promises more without end', () =>
    withHost(kind, async ({ host, githost }) => {
      const headers = { link: `<${githost.apiUrl}/next?page=2>; rel="next"` };
      const body = { ok: true, data: [], total_count: 0, repositories: [] };
      githost.failures.push({ calls: /\/(search|repositories)$/, reply: { status: 200, headers, body } });
      const page = await host.listRepositories({ limit: 50 }, AbortSignal.timeout(10_000));
      expect(page.items).toEqual([]);
      expect(githost.calls.length).toBeLessThan(50);
    }));

  test('name the missing permission', () =>
    withHost(kind, async ({ host, repository, installation, githost, settings }) => {
      const key = keyOf(repository());
      const hook = { url: 'https://example.com/hook', secret: 's' };
      if (installation === undefined) {
        const account = githost.model.accounts.find(({ tokens }) => tokens.has(settings.token ?? ''));
        account?.tokens.set(settings.token ?? '', ['read:repository']);
      } else {
        installation.permissions['repository_hooks'] = 'read';
      }
      const error = await errorOf(host.ensureHook(key, hook, signal));
      expect(error).toMatchObject({ reason: 'forbidden' });
      expect(error.message).toContain(can.install ? 'repository_hooks: write' : 'write:repository');
    }));

  test('contain no short secret in capitals, in part or encoded', () =>
    withHost(kind, async ({ provider, deps, settings, githost, repository }) => {
      const token = 'Hush-Hush-or-so';
      const account = githost.model.accounts.find(({ tokens }) => tokens.size > 0);
      account?.tokens.set(token, [...account.tokens.values()].flat());
      const host = provider.open(can.install ? settings : { ...settings, token }, deps);
      const key = keyOf(repository());
      await host.headOf(key, 'main', signal);
      const secret = can.install ? ([...githost.model.tokens.keys()][0] ?? '') : token;
      for (const form of [
        secret.toUpperCase(),
        secret.slice(0, -2),
        Buffer.from(secret).toString('base64'),
        'glpat-1abc',
        '0123456789abcdef-xyz',
      ]) {
        githost.failures.push({ times: 1, reply: { status: 400, body: { message: `Got ${form} here.` } } });
        const { message } = await errorOf(host.headOf(key, 'main', signal));
        expect(message).toContain('Got [redacted] here.');
      }
    }));

  test('contain no secret, although the host repeats it', () =>
    withHost(kind, async ({ host, githost, repository, secrets }) => {
      const key = keyOf(repository());
      await host.headOf(key, 'main', signal);
      const tokens = [...githost.model.tokens.keys(), ...secrets];
      const said = tokens.flatMap((one) => [
        one,
        Buffer.from(`:${one}`).toString('base64'),
        encodeURIComponent(one),
      ]);
      const tail = { path: '\u001b[31m', long: 'x'.repeat(5_000) };
      for (const status of [400, 401, 403, 404, 409, 422, 429, 500]) {
        githost.failures.push({
          times: 2,
          reply: { status, body: { message: `${said.join(' ')} ${tail.path}${tail.long}` } },
        });
        const error = await errorOf(
          host.ensureHook(key, { url: 'https://example.com', secret: 'hush-hush' }, signal),
        );
        githost.failures.length = 0;
        const text = `${error.message} ${JSON.stringify(error)}`;
        // A message is cut, so look for the beginnings of secrets.
        for (const secret of [...said, 'hush-hush']) expect(text).not.toContain(secret.slice(0, 40));
        expect(error.message.length).toBeLessThan(600);
        expect(error.message).not.toContain('\u001b');
      }
    }));

  test('of wrong credentials say so', () =>
    withHost(kind, async ({ provider, deps, githost, settings }) => {
      const wrong = can.install ? { ...settings, appId: '999999' } : { ...settings, token: 'wrong' };
      const host = provider.open(wrong, deps);
      expect(await reasonOf(host.account(signal))).toBe('authentication');
      expect(githost.calls).toHaveLength(1);
    }));

  test('of an address inside the network are refused unless the operator wrote it', () =>
    withHost(kind, async ({ provider, deps, githost, settings }) => {
      const http = createHttpClient({ allowHosts: [] });
      await expect(provider.open(settings, { ...deps, http }).account(signal)).rejects.toThrow(
        'OUTBOUND_ALLOW_HOSTS',
      );
      expect(githost.calls).toEqual([]);
      const operatorOrigins = [githost.origin];
      await provider.open(settings, { ...deps, http, operatorOrigins }).account(signal);
      await http.close();
    }));
});

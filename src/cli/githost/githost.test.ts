import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { runCli, type StandInService, standInService } from '../../../test/support/program/command-line.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';

const connected = {
  id: '01980f3e-5f2c-7c3a-9d53-0c2b7b6a9f10',
  kind: 'gitea',
  name: 'gitea',
  url: 'https://git.example.com',
  account: { id: '1', name: 'bot', url: 'https://git.example.com/bot' },
  state: 'connected',
  error: null,
};
const pending = { ...connected, kind: 'github', name: 'github', account: null, state: 'pending' };
const url = 'https://github.com/apps/ctx/installations/new?state=s';

let service: StandInService;
afterEach(() => service?.close());

function run(words: readonly string[], options: { typed?: string; terminal?: boolean } = {}) {
  const env = { ORGCTX_API_KEY: 'ock_0123456789', ORGCTX_ORG: 'acme', ORGCTX_URL: service.url };
  return runCli(words, { env, ...options });
}

describe('githost add', () => {
  it('sends a secret from a file or from stdin, and never as a flag', async () => {
    service = await standInService(() => ({ status: 201, body: connected }));
    const file = join(temporaryFolder(), 'token');
    writeFileSync(file, 'from-file\n');
    const add = ['githost', 'add', 'gitea', '--host-url', connected.url];
    const { code, stdout } = await run([...add, '--token-file', file]);
    expect([code, stdout]).toEqual([
      0,
      expect.stringContaining('orgctx repo add <owner/name> --githost gitea'),
    ]);
    expect((await run([...add, '--json'], { typed: 'from-stdin' })).code).toBe(0);
    expect(service.seen.map(({ body }) => body)).toEqual([
      { kind: 'gitea', url: connected.url, token: 'from-file' },
      { kind: 'gitea', url: connected.url, token: 'from-stdin' },
    ]);
    expect((await run([...add, '--token', 'x'])).code).toBe(2);
  });

  it('says that --url names the service and not the Git host', async () => {
    service = await standInService(() => ({ status: 404, body: 'a page of a Git host' }));
    const add = ['githost', 'add', 'gitea', '--url', service.url];
    const { code, stderr } = await run(add, { typed: 'token' });
    expect([code, stderr]).toEqual([2, expect.stringContaining('Name the Git host with --host-url.')]);
  });

  it('refuses flags of another kind, a missing file and a secret that is not given', async () => {
    service = await standInService(() => ({ status: 201, body: connected }));
    for (const [words, reason] of [
      [['gitea', '--user', 'bot'], '--user is not for the kind gitea'],
      [
        ['https', '--host-url', 'https://a.example', '--user', 'b', '--token-file', '/nonexistent'],
        'cannot be read',
      ],
      [['svn'], 'must be one of'],
    ] as const) {
      const { code, stderr } = await run(['githost', 'add', ...words]);
      expect([code, stderr]).toEqual([2, expect.stringContaining(reason)]);
    }
    const { code, stderr } = await run(['githost', 'add', 'gitea', '--no-input'], { terminal: true });
    expect([code, stderr]).toEqual([2, expect.stringContaining('--token-file was not given')]);
    expect(service.seen).toEqual([]);
  });

  it('prints the installation link of an App', async () => {
    service = await standInService(({ method }) =>
      method === 'POST' ? { status: 201, body: pending } : { status: 200, body: { url } },
    );
    const { code, stdout } = await run(['githost', 'add', 'github', '--json']);
    expect([code, JSON.parse(stdout)]).toEqual([0, { ...pending, installUrl: url }]);
    expect(service.seen[1]?.url).toBe(`/acme/api/v1/githost/connections/${pending.id}/install-url`);
    const key = join(temporaryFolder(), 'key');
    writeFileSync(key, 'key');
    const own = await run(['githost', 'add', 'github', '--app-id', '7', '--private-key-file', key]);
    expect(own.stdout).toContain(
      `webhook URL of the App to ${service.url}/api/v1/webhook/githost/${pending.id},`,
    );
  });
});

describe('a Git-host connection', () => {
  it('is named by its name or the start of its id, also for a new repository', async () => {
    const repository = { id: 'r', name: 'bot/app', source: 's', branch: null, state: 'queued' };
    const rest = { progress: null, indexedCommit: null, indexedAt: null, error: null };
    service = await standInService(({ method, url: path }) => {
      if (method === 'DELETE') return { status: 204 };
      if (path?.endsWith('/repositories')) return { status: 201, body: { ...repository, ...rest } };
      return { status: 200, body: { items: [connected], nextCursor: null } };
    });
    expect((await run(['githost', 'list'])).stdout).toContain('gitea  01980f3e  gitea  connected  bot');
    expect((await run(['githost', 'remove', '01980f3e'])).code).toBe(0);
    const removals = () => service.seen.filter(({ method }) => method === 'DELETE').length;
    const refused = await run(['githost', 'remove', 'gitea'], { terminal: true, typed: 'n' });
    expect([refused.code, removals()]).toEqual([2, 1]);
    expect(refused.stderr).toContain('Remove the Git-host connection gitea (https://git.example.com)');
    expect((await run(['githost', 'remove', 'gitea'], { terminal: true, typed: 'y' })).code).toBe(0);
    expect((await run(['githost', 'remove', 'gitea', '--yes'], { terminal: true })).code).toBe(0);
    expect(removals()).toBe(3);
    expect((await run(['repo', 'add', 'bot/app', '--githost', 'gitea'])).code).toBe(0);
    expect(service.seen.at(-1)?.body).toEqual({ source: 'bot/app', githostConnectionId: connected.id });
    const unknown = await run(['githost', 'status', 'nope']);
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('orgctx githost list')]);
  });

  it('gets new credentials from a file, or without a flag a new token from stdin', async () => {
    service = await standInService(({ method }) => ({
      status: 200,
      body: method === 'PATCH' ? connected : { items: [connected], nextCursor: null },
    }));
    const file = join(temporaryFolder(), 'token');
    writeFileSync(file, 'from-file\n');
    expect((await run(['githost', 'set', 'gitea', '--token-file', file])).code).toBe(0);
    expect((await run(['githost', 'set', 'gitea'], { typed: 'from-stdin' })).code).toBe(0);
    expect((await run(['githost', 'set', 'gitea', '--name', 'work'], { terminal: true })).code).toBe(0);
    const changes = service.seen.filter(({ method }) => method === 'PATCH');
    expect(changes.map(({ url: path, body }) => [path?.split('/').at(-1), body])).toEqual([
      [connected.id, { token: 'from-file' }],
      [connected.id, { token: 'from-stdin' }],
      [connected.id, { name: 'work' }],
    ]);
    for (const [flag, value] of [
      ['--private-key-file', file],
      ['--host-url', connected.url],
    ]) {
      expect((await run(['githost', 'set', 'gitea', flag ?? '', value ?? ''])).code, flag).toBe(2);
    }
  });

  it('that the host refuses shows its error, and how to install an App again', async () => {
    const error = { code: 'githost_failed', message: 'The App is no longer installed.' };
    const app = { ...pending, state: 'failed', error };
    let host: object = { ...connected, state: 'failed', error };
    service = await standInService(({ url: path }) => ({
      status: 200,
      body: path?.endsWith('/install-url') ? { url } : { items: [host], nextCursor: null },
    }));
    expect((await run(['githost', 'status', 'gitea'])).stdout).toContain('Do what the error says.');
    host = app;
    expect((await run(['githost', 'status', 'github'])).stdout).toContain(
      'install it again: "orgctx githost status github --link" prints a new link',
    );
  });

  it('whose App is not installed gets a link only on request, because a new one replaces the former', async () => {
    service = await standInService(({ method, url: path }) => {
      if (path?.endsWith('/install-url')) return { status: 200, body: { url } };
      return { status: 200, body: method === 'PATCH' ? pending : { items: [pending], nextCursor: null } };
    });
    const links = () => service.seen.filter(({ url: path }) => path?.endsWith('/install-url')).length;
    const how = '"orgctx githost status github --link"';
    expect((await run(['githost', 'status', 'github'])).stdout).toContain(how);
    expect((await run(['githost', 'set', 'github', '--name', 'github'])).stdout).toContain(how);
    expect(links()).toBe(0);
    const { stdout } = await run(['githost', 'status', 'github', '--link', '--json']);
    expect([JSON.parse(stdout).installUrl, links()]).toEqual([url, 1]);
  });

  it('that the service refuses names the flags of the command, not the fields of the request', async () => {
    const key = join(temporaryFolder(), 'key');
    writeFileSync(key, 'key');
    service = await standInService(({ method }) => {
      if (method === 'GET') return { status: 200, body: { items: [pending], nextCursor: null } };
      const errors = [
        { path: '/appId', message: 'is required with a private key' },
        { path: '/privateKey', message: 'must be an RSA key' },
      ];
      const detail = '`appId` is required with a private key. `privateKey` must be an RSA key.';
      const problem = { type: 'about:blank', title: 'Bad', status: 400, code: 'validation_failed' };
      return {
        status: 400,
        headers: { 'content-type': 'application/problem+json' },
        body: { ...problem, detail, errors },
      };
    });
    const text = '--app-id is required with a private key. --private-key-file must be an RSA key.';
    for (const words of [
      ['add', 'github'],
      ['set', 'github'],
    ]) {
      const command = ['githost', ...words, '--private-key-file', key];
      expect(await run(command)).toMatchObject({ code: 2, stderr: expect.stringContaining(text) });
      const { error } = JSON.parse((await run([...command, '--json'])).stderr);
      expect(error.errors.map(({ name }: { name: string }) => name)).toEqual([
        '--app-id',
        '--private-key-file',
      ]);
    }
  });

  it('has an SSH key next to it, of which only the public half is printed', async () => {
    const key = { publicKey: 'ssh-ed25519 AAAA orgctx-acme', createdAt: '2026-11-22T00:00:00.000Z' };
    service = await standInService(() => ({ status: 200, body: key }));
    const { stdout } = await run(['githost', 'key']);
    expect(stdout.trim()).toBe(key.publicKey);
    expect(service.seen[0]).toMatchObject({ method: 'PUT', url: '/acme/api/v1/githost/key' });
  });
});

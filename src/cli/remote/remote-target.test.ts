import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import {
  runCli,
  type StandInAnswer,
  type StandInService,
  standInService,
} from '../../../test/support/program/command-line.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { Interrupted } from '../frame/interrupted.ts';

const key = 'ock_0123456789';
const list = ['repo', 'list'];
let service: StandInService | undefined;
afterEach(async () => {
  await service?.close();
  service = undefined;
});

async function listAgainst(answer: StandInAnswer, words: readonly string[] = list) {
  service = await standInService(() => answer);
  return runCli(words, { env: { ORGCTX_URL: service.url, ORGCTX_API_KEY: key, ORGCTX_ORG: 'acme' } });
}

describe('a remote command', () => {
  it('exits with 2 without an organization', async () => {
    const { code, stderr } = await runCli(list, { env: { ORGCTX_API_KEY: key } });
    expect(code).toBe(2);
    expect(stderr).toContain('Use --org <slug> or set ORGCTX_ORG.');
  });

  it('exits with 4 without a key, and says how to get one', async () => {
    service = await standInService(() => ({ body: {} }));
    const { code, stderr } = await runCli([...list, '--org', 'acme', '--url', service.url]);
    expect(code).toBe(4);
    expect(stderr).toContain('orgctx admin key create');
  });

  it('exits with 5 without a key if no server runs there, and says how to start it', async () => {
    const stopped = await standInService(() => ({ body: {} }));
    await stopped.close();
    const { code, stderr } = await runCli([...list, '--org', 'acme', '--url', stopped.url]);
    expect(code).toBe(5);
    expect(stderr).toContain('refused the connection. Start the server with "orgctx serve"');
    expect(stderr).not.toContain('Not signed in');
  });

  it('prefers flags to variables, reads the key from a file, and accepts the address of the endpoint', async () => {
    service = await standInService(() => ({ body: { items: [], nextCursor: null } }));
    const file = join(temporaryFolder(), 'key');
    writeFileSync(file, `${key}\n`);
    const env = { ORGCTX_URL: 'http://127.0.0.1:1', ORGCTX_ORG: 'other', ORGCTX_API_KEY_FILE: file };
    const { code } = await runCli([...list, '--url', `${service.url}/mcp`, '--org', 'acme'], { env });
    expect(code).toBe(0);
    expect(service.seen[0]).toMatchObject({
      url: '/acme/api/v1/repositories',
      headers: { authorization: `Bearer ${key}` },
    });
  });

  it('finds the service of this host by the settings of the host', async () => {
    service = await standInService(() => ({ body: { items: [], nextCursor: null } }));
    const { port } = new URL(service.url);
    const { code } = await runCli(list, { env: { PORT: port, ORGCTX_API_KEY: key, ORGCTX_ORG: 'acme' } });
    expect(code).toBe(0);
  });

  it.each([
    ['AUTH_BASE_URL', (url: string) => `AUTH_BASE_URL: ${url}`],
    ['DATA_DIR with the address of a server', () => 'DATA_DIR: data'],
  ])('never sends a key to another host that ./orgctx.yaml names by %s', async (_what, settings) => {
    service = await standInService(() => ({ body: { items: [], nextCursor: null } }));
    // A cloned repository may contain this file. 0.0.0.0 is no loopback address, but reaches the stand-in.
    const url = service.url.replace('127.0.0.1', '0.0.0.0');
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'orgctx.yaml'), settings(url));
    mkdirSync(join(cwd, 'data'));
    writeFileSync(join(cwd, 'data', 'server.json'), JSON.stringify({ pid: 1, baseUrl: url, appUrl: url }));
    const env = { ORGCTX_API_KEY: key, ORGCTX_ORG: 'acme' };
    for (const words of [list, ['mcp', 'config', '--auth', 'key', '--show-key']]) {
      const { code, stdout, stderr } = await runCli(words, { cwd, env });
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toContain(`${cwd}/orgctx.yaml`);
      expect(stderr).toContain(`--url ${url}`);
    }
    expect(service.seen).toEqual([]);
    expect((await runCli([...list, '--url', url], { cwd, env })).code).toBe(0);
    expect((await runCli(list, { cwd, env: { ...env, ORGCTX_URL: url } })).code).toBe(0);
    expect((await runCli(['mcp', 'config', '--auth', 'key'], { cwd, env })).code).toBe(0);
  });

  it.each([
    ['ftp://x', 'must be an http or https URL'],
    ['https://a$(id).example', 'must name a host of letters'],
    ['https://a`id`.example', 'must name a host of letters'],
    ['https://a"b.example', 'must name a host of letters'],
    ['nowhere', 'must be an http or https URL'],
    ['https://me:hush@x', 'must not contain a user or password'],
    ['https://x/?access_token=hush', 'must not have a query'],
    ['https://x/base', 'must be the origin'],
  ])('refuses --url %s with exit 2, without repeating it', async (url, message) => {
    const { code, stderr } = await runCli([...list, '--url', url, '--org', 'acme'], {
      env: { ORGCTX_API_KEY: key },
    });
    expect(code).toBe(2);
    expect(stderr).toContain(message);
    expect(stderr).not.toContain('hush');
  });

  it.each([
    [{ ORGCTX_API_KEY: 'hush\r\nX-Evil: 1' }, 3, 'ORGCTX_API_KEY is not an API key'],
    [{ ORGCTX_API_KEY: key, ORGCTX_API_KEY_FILE: '/dev/null' }, 3, 'must not both be set'],
    [{ ORGCTX_API_KEY_FILE: '/absent' }, 3, 'cannot be read (ENOENT)'],
  ])('refuses an invalid key: %j', async (env, code, message) => {
    const outcome = await runCli([...list, '--org', 'acme'], { env });
    expect(outcome.code).toBe(code);
    expect(outcome.stderr.replace(/\s+/g, ' ')).toContain(message);
    expect(outcome.stderr).not.toContain('hush');
  });

  it.each(['../admin', 'a/b', 'Acme', '-x', 'x'.repeat(40)])(
    'refuses the organization %j with exit 2',
    async (org) => {
      const { code } = await runCli([...list, `--org=${org}`], { env: { ORGCTX_API_KEY: key } });
      expect(code).toBe(2);
    },
  );

  it('warns if the key would be sent unencrypted', async () => {
    const controller = new AbortController();
    controller.abort(new Interrupted('Ctrl-C'));
    const words = [...list, '--url', 'http://context.example', '--org', 'acme'];
    const { stderr } = await runCli(words, { env: { ORGCTX_API_KEY: key }, signal: controller.signal });
    expect(stderr).toContain('warning: http://context.example is not https');
  });
});

describe('an answer of the service', () => {
  const problem = (status: number, code: string, more: object = {}): StandInAnswer => ({
    status,
    headers: { 'content-type': 'application/problem+json' },
    body: {
      type: 'about:blank',
      title: 'Title',
      status,
      detail: `Say ${code}.`,
      code,
      requestId: 'r-1',
      ...more,
    },
  });

  it.each([
    [400, 'validation_failed', 2],
    [401, 'invalid_token', 4],
    [403, 'forbidden', 4],
    [403, 'insufficient_scope', 4],
    [404, 'not_found', 1],
    [409, 'repository_exists', 1],
    [413, 'payload_too_large', 1],
    [429, 'rate_limited', 1],
    [500, 'internal', 1],
    [503, 'overloaded', 1],
  ])(
    '%i %s is printed with its message, and with the request id if the service failed',
    async (status, code, exit) => {
      const outcome = await listAgainst(problem(status, code));
      expect(outcome.code).toBe(exit);
      expect(outcome.stdout).toBe('');
      expect(outcome.stderr).toContain(`error: Say ${code}.`);
      expect(outcome.stderr.includes('r-1')).toBe(status >= 500);
    },
  );

  it('lists each error of the request', async () => {
    const { stderr } = await listAgainst(
      problem(400, 'validation_failed', { errors: [{ path: '/limit', message: 'too big' }] }),
    );
    expect(stderr).toContain('  limit too big');
  });

  it.each<[string, StandInAnswer, RegExp]>([
    ['a page of a proxy', { status: 502, body: '<html>' }, /returned an unexpected response with status 502/],
    ['another service', { body: { hello: 1 } }, /returned an unexpected response/],
    ['no JSON', { body: 'hello' }, /returned an unexpected response/],
    [
      'a redirect',
      { status: 302, headers: { location: 'https://login.example/?state=hush' } },
      /redirects to https:\/\/login\.example\. Use/,
    ],
  ])('that is %s is reported as an error', async (_, answer, message) => {
    const { code, stderr } = await listAgainst(answer);
    expect(code).toBe(1);
    expect(stderr).toMatch(message);
    expect(stderr).not.toContain('hush');
  });

  it('that is missing because the service is unreachable exits with 5', async () => {
    const env = { ORGCTX_URL: 'http://127.0.0.1:1', ORGCTX_API_KEY: key, ORGCTX_ORG: 'acme' };
    const { code, stderr } = await runCli(list, { env });
    expect(code).toBe(5);
    expect(stderr).toContain('127.0.0.1:1 refused the connection. Start the server with "orgctx serve"');
  });

  it('that another process answers in place of the server of this host exits with 5, and gets no login', async () => {
    service = await standInService(() => ({ body: { items: [], nextCursor: null } }));
    const [config, dataDir] = [temporaryFolder(), temporaryFolder()];
    mkdirSync(join(config, 'orgctx'), { mode: 0o700 });
    const login = {
      email: 'owner@localhost',
      organization: { slug: 'acme', name: 'Acme' },
      scopes: [],
      accessToken: 'access',
      accessTokenExpiresAt: Date.now() + 3_600_000,
      accessTokenLifetime: 3_600_000,
      refreshToken: 'refresh',
      dataDir,
    };
    const logins = { version: 1, logins: { [service.url]: login } };
    writeFileSync(join(config, 'orgctx', 'credentials.json'), JSON.stringify(logins), { mode: 0o600 });
    const running = { pid: process.pid, baseUrl: service.url, appUrl: service.url };
    writeFileSync(join(dataDir, 'server.json'), JSON.stringify(running));
    writeFileSync(join(dataDir, 'server.lock'), '');
    const env = { ORGCTX_URL: service.url, XDG_CONFIG_HOME: config };
    const { code, stderr } = await runCli(list, { env });
    expect([code, stderr]).toEqual([5, expect.stringContaining('Your login was not sent there.')]);
    expect((await runCli(['logout'], { env })).stderr).toContain('could not be revoked');
    expect(service.seen).toEqual([]);
  });

  it('that does not arrive before Ctrl-C exits with 130', async () => {
    const controller = new AbortController();
    service = await standInService(() => {
      controller.abort(new Interrupted('Ctrl-C'));
      return undefined;
    });
    const env = { ORGCTX_URL: service.url, ORGCTX_API_KEY: key, ORGCTX_ORG: 'acme' };
    expect((await runCli(list, { env, signal: controller.signal })).code).toBe(130);
  });

  it('never causes the key to be printed', async () => {
    const outcome = await listAgainst(problem(401, 'invalid_token'), [...list, '--verbose']);
    expect(outcome.stderr + outcome.stdout).not.toContain(key);
  });
});
